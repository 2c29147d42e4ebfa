#!/usr/bin/env bash
# Starts the bridge as an app of Home Assistant: what its options and the Supervisor say becomes the bridge's environment.
set -euo pipefail

data="${DATA:-/data}"
config="${CONFIG:-/config}"
user=10001

fail() {
    echo "cast2mqtt: $1" >&2
    exit "$2"
}

# The value of an option, a list with commas between its parts; empty when it is not set.
option() { jq -r --arg name "$1" '.[$name] // empty | if type == "array" then join(",") else tostring end' "$data/options.json"; }

# What the Supervisor answers at a path, without its envelope.
supervisor() {
    curl --silent --show-error --fail --max-time 10 --retry 3 -H "Authorization: Bearer $SUPERVISOR_TOKEN" "http://supervisor/$1" | jq --exit-status '.data'
}

# give NAME VALUE: sets a variable of the bridge, unless there is nothing to set.
give() { [ -z "$2" ] || export "CAST2MQTT_$1=$2"; }

run=/run/cast2mqtt
install -d -o "$user" -g "$user" -m 700 "$run" "$data/state"
# A restored backup may have other owners.
chown -R "$user:$user" "$data/state"
export STATE_DIRECTORY="$data/state" RUNTIME_DIRECTORY="$run"

host="$(option mqtt_host)"
if [ -n "$host" ]; then
    port="$(option mqtt_port)" name="$(option mqtt_username)" password="$(option mqtt_password)" tls=
elif broker="$(supervisor services/mqtt)"; then
    field() { jq -r --arg name "$1" '.[$name] // empty' <<<"$broker"; }
    host="$(field host)" port="$(field port)" name="$(field username)" password="$(field password)" tls="$(field ssl)"
else
    fail "there is no broker: install the app Mosquitto broker, or set the option mqtt_host" 69
fi
give MQTT_HOST "$host"
give MQTT_PORT "$port"
give MQTT_USERNAME "$name"
give MQTT_TLS_ENABLED "$tls"
if [ -n "$password" ]; then
    install -o "$user" -m 600 /dev/null "$run/mqtt-password"
    printf '%s' "$password" >"$run/mqtt-password"
    give MQTT_PASSWORD_FILE "$run/mqtt-password"
fi
give DISCOVERY_INTERFACES "$(option interfaces)"
give DISCOVERY_KNOWN_HOSTS "$(option known_hosts)"
give LOG_LEVEL "$(option log_level)"
[ ! -e "$config/cast2mqtt.yaml" ] || give CONFIG "$config/cast2mqtt.yaml"

# The page is for the Supervisor alone, which forwards the requests of users who are signed in. Others need the token whose hash this is: nobody has it.
self="$(supervisor addons/self/info)" || fail "the Supervisor does not answer" 69
give WEB_LISTEN "$(jq -r '"\(.ip_address):\(.ingress_port)"' <<<"$self")"
give WEB_TRUSTED_PROXIES 172.30.32.2
give WEB_INGRESS_ROLE "$(option web_role)"
give WEB_TOKENS "nobody:view:$(head -c 32 /dev/urandom | sha256sum | cut -c 1-64)"

unset SUPERVISOR_TOKEN HASSIO_TOKEN DATA CONFIG
# The log is on standard error. Standard output has only the setup code and its address, which no browser outside reaches: it belongs in no log.
exec setpriv --reuid="$user" --regid="$user" --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all cast2mqtt run >/dev/null
