# Each target installs the Debian packages that it needs first (scripts/bootstrap).

# Arguments for the program that "run" starts, for example ARGS='--config my.yaml'.
ARGS ?=

# Where "install" puts the programs: into $(DESTDIR)$(PREFIX)/bin.
PREFIX ?= /usr/local
DESTDIR ?=

.DEFAULT_GOAL := help
.PHONY: help run demo install documentation test check-all test-brokers test-home-assistant test-web screenshots bench fuzz format lint clean test-clean-machine test-container test-announce test-pair test-faults test-chrome package archive test-package test-home-assistant-app test-fleets test-cluster soak

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | while IFS='|' read -r name text; do printf '%-30s %s\n' "$$name" "$$text"; done

# The commit that bridge/info reports; empty while there are uncommitted changes.
COMMIT = $(shell git diff-index --quiet HEAD 2>/dev/null && git rev-parse HEAD 2>/dev/null)

run: ## build the bridge and run it; ARGS='...' go to "cast2mqtt run"
	@scripts/bootstrap run
	CAST2MQTT_COMMIT=$(COMMIT) swift build --product cast2mqtt
	@exec env $$(scripts/support/web-listen $(ARGS)) .build/debug/cast2mqtt run $(ARGS)

demo: ## simulated devices, a private broker and the bridge, all on this machine
	@scripts/bootstrap run
	swift build --product cast2mqtt
	swift build --product cast-simulator
	@scripts/demo

install: ## release build of both programs into PREFIX=/usr/local, below DESTDIR
	@scripts/bootstrap run
	@CAST2MQTT_COMMIT=$(COMMIT) PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install

package: ## Debian packages of both programs for this kind of processor, into .build/packages
	@scripts/bootstrap package
	@CAST2MQTT_COMMIT=$(COMMIT) scripts/package

archive: ## an archive of both programs with Swift's libraries inside, into .build/packages
	@scripts/bootstrap run
	@CAST2MQTT_COMMIT=$(COMMIT) scripts/archive

documentation: ## the documentation of the libraries as web pages, into .build/documentation
	@scripts/bootstrap run
	swift build --target CastSender
	swift build --target CastMediaCheck
	swift build --target CastReceiverSimulator
	@rm -rf .build/documentation
	@scripts/check-documentation --output .build/documentation

test: ## everything that must hold before a change lands: layout, imports, documents, all tests
	@scripts/bootstrap test
	@$(MAKE) --no-print-directory lint
	@scripts/test

check-all: ## the release build's size, the tests with sanitizers, the fuzz targets; takes more than an hour
	@scripts/bootstrap test
	@scripts/check-all

test-brokers: ## with ejabberd, RabbitMQ and Prometheus, which are unpacked below .build, not installed; needs root
	@scripts/bootstrap brokers
	@CI=1 scripts/test --filter '^IntegrationTests\.Other(Broker|Monitor)'
	@scripts/test-cluster

test-cluster: ## with three nodes of ejabberd as one cluster: killed, cut off, started again; needs root, takes about two minutes
	@scripts/bootstrap brokers
	swift build --product cast2mqtt
	swift build --product cast-simulator
	@scripts/test-cluster

test-fleets: ## four bridges of 250 devices on one broker, with one Prometheus and one Home Assistant; needs root and much of a machine
	@scripts/bootstrap brokers
	@scripts/bootstrap home-assistant
	swift build --product cast2mqtt
	swift build --product cast-simulator
	@scripts/test-fleets --home-assistant "$$(scripts/test-home-assistant environment 2025.4.4)"

test-web: ## all tests of the web page in Debian's chromium; "make test" has the quick ones
	@scripts/bootstrap test
	@CI=1 WEB_TESTS=all TEST_TIME_LIMIT=70m scripts/test --filter '^IntegrationTests\.WebPageTests'

screenshots: ## make the pictures of docs/WEB.md again
	@scripts/bootstrap test
	swift build --product cast2mqtt
	swift build --product cast-simulator
	@scripts/screenshots

bench: ## measure a release build against a comparison program in C and a script with pychromecast
	@scripts/bootstrap bench
	@scripts/bench

soak: ## a million statuses, 10 000 lost links, 200 kills and more on one bridge with 500 devices; takes about 30 minutes after the build
	@scripts/bootstrap bench
	@scripts/soak

fuzz: ## run the parsers of foreign bytes with hostile inputs; FUZZ_SECONDS=60 for each
	@scripts/bootstrap test
	@scripts/fuzz

format: ## format all Swift files by .swift-format
	@scripts/lint --fix

lint: ## check the layout of the sources, scripts and workflows, imports between targets, links of the documents, sizes of the parts, titles of the tests
	@scripts/lint
	@scripts/check-workflows
	@scripts/check-home-assistant-app
	@scripts/check-imports
	@scripts/check-documents
	@scripts/check-parts
	@scripts/check-tests

clean: ## remove the build folders
	rm -rf .build .build-*

test-pair: ## takeovers of a pair of bridges, 20 of each kind with 100 devices; needs root, takes about an hour
	@scripts/bootstrap test
	swift build --product cast2mqtt
	swift build --product cast-simulator
	@scripts/test-pair

test-faults: ## every fault of both links and of what they stand on: it heals as if freshly started; takes about 25 minutes
	@scripts/bootstrap test
	swift build --product cast2mqtt
	swift build --product cast-simulator
	@scripts/test-faults

test-announce: ## announcements on every kind of device and source: what played is given back; takes about 12 minutes
	@scripts/bootstrap test
	swift build --product cast2mqtt
	swift build --product cast-simulator
	@scripts/test-announce

test-chrome: ## Chromium's own Cast sender against the simulated devices and beside the bridge; takes about 10 minutes
	@scripts/bootstrap test
	swift build --product cast2mqtt
	swift build --product cast-simulator
	@scripts/test-chrome --seconds 60
	@scripts/test-chrome --without-bridge
	@scripts/test-chrome --sabotages

test-home-assistant: ## real Home Assistants from PyPI against the bridge and simulated devices; takes minutes and space in .build
	@scripts/bootstrap home-assistant
	swift build --product cast2mqtt
	swift build --product cast-simulator
	@scripts/test-home-assistant

test-container: ## as root: builds docker/Dockerfile without a registry and checks the image in namespaces; takes up to an hour and 8 GB
	@scripts/bootstrap container
	@scripts/test-container

test-clean-machine: ## as root: the README's commands on a Debian 12 that has only the Swift toolchain
	@scripts/test-clean-machine

test-package: ## as root: the Debian packages on a Debian 12 and a Debian 13 whose systemd runs; takes minutes and 3 GB
	@scripts/bootstrap package
	@scripts/test-package

test-home-assistant-app: ## as root: the app of Home Assistant beside a stand-in of its Supervisor and simulated devices
	@scripts/bootstrap test
	swift build --product cast2mqtt
	swift build --product cast-simulator
	@scripts/test-home-assistant-app
