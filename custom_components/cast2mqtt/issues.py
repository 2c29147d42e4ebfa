"""What Home Assistant shows under repairs about a bridge."""

from __future__ import annotations

from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from .const import (
    DOCUMENTATION,
    DOMAIN,
    ISSUE_BRIDGE_TOO_NEW,
    ISSUE_BRIDGE_TOO_OLD,
    ISSUE_NO_ANSWER,
    ISSUE_REPLACED,
    NEEDED_FEATURES,
    SCHEMA,
)


class Issues:
    """Shows and hides the repairs of a config entry."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        """Begin without any."""
        self.hass = hass
        self.entry = entry
        # Devices by those that they replace.
        self._replaced: dict[str, str] = {}

    @callback
    def answered(self, answered: bool) -> None:
        """Say whether the bridge answers commands."""
        self._show(ISSUE_NO_ANSWER, not answered)

    @callback
    def described(self, info: dict[str, Any]) -> None:
        """Say whether this integration fits to what a bridge says of itself."""
        schema, version = info.get("schema", 0), str(info.get("version"))
        missing = NEEDED_FEATURES.difference(info.get("features", ()))
        self._show(ISSUE_BRIDGE_TOO_NEW, schema > SCHEMA, version=version)
        self._show(
            ISSUE_BRIDGE_TOO_OLD, schema < SCHEMA or bool(missing and schema == SCHEMA), version=version,
            missing=", ".join(sorted(missing)) or "-")

    @callback
    def listed(self, devices: dict[str, dict[str, Any]]) -> None:
        """Offer to remove a device that is offline while another one of its kind has its name: reset, it has another id."""
        kinds: dict[tuple[Any, ...], tuple[list[str], list[str]]] = {}
        for identifier, facts in devices.items():
            kind = facts.get("name"), facts.get("type"), facts.get("model")
            kinds.setdefault(kind, ([], []))[bool(facts.get("online"))].append(identifier)
        # With several of a kind nobody can tell which one was reset.
        found = {offline[0]: online[0] for offline, online in kinds.values() if len(offline) == len(online) == 1}
        # The new one may be offline for a moment. A person's "ignore" would go with the repair.
        for old in self._offered(self.hass, self.entry):
            if old not in devices or devices[old].get("online"):
                self._show(ISSUE_REPLACED, False, old)
                self._replaced.pop(old, None)
        for old, new in found.items() - self._replaced.items():
            name = str(devices[old].get("name"))
            data: dict[str, str | int | float | None] = {"entry": self.entry.entry_id, "old": old, "new": new, "name": name}
            self._show(ISSUE_REPLACED, True, old, data, device=name)
        self._replaced |= found

    @callback
    def clear(self) -> None:
        """Hide what is true of a bridge that is looked at; a repair stays, and with it that a person ignored it."""
        for issue in (ISSUE_NO_ANSWER, ISSUE_BRIDGE_TOO_OLD, ISSUE_BRIDGE_TOO_NEW):
            self._show(issue, False)

    @staticmethod
    @callback
    def forget(hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
        """Hide the repairs of an entry that is removed."""
        for old in Issues._offered(hass, entry):
            ir.async_delete_issue(hass, DOMAIN, f"{ISSUE_REPLACED}_{entry.entry_id}{old}")

    @staticmethod
    def _offered(hass: HomeAssistant, entry: ConfigEntry[Any]) -> list[str]:
        """Return the devices whose repair is offered, or was when Home Assistant ran before."""
        prefix = f"{ISSUE_REPLACED}_{entry.entry_id}"
        issues = ir.async_get(hass).issues
        return [issue.removeprefix(prefix) for domain, issue in issues if domain == DOMAIN and issue.startswith(prefix)]

    @callback
    def _show(
        self, key: str, wanted: bool, about: str = "", data: dict[str, str | int | float | None] | None = None, **placeholders: str,
    ) -> None:
        identifier = f"{key}_{self.entry.entry_id}{about}"
        if not wanted:
            ir.async_delete_issue(self.hass, DOMAIN, identifier)
            return
        # One with data is carried out once a person confirms it.
        ir.async_create_issue(
            self.hass, DOMAIN, identifier, is_fixable=data is not None, data=data, learn_more_url=DOCUMENTATION,
            severity=ir.IssueSeverity.WARNING if data else ir.IssueSeverity.ERROR,
            translation_key=key, translation_placeholders={"bridge": self.entry.title, **placeholders})
