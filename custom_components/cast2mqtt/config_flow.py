"""Adds a bridge: one that Home Assistant found by its topic, or one whose topic a person enters."""

from __future__ import annotations

from typing import Any

from homeassistant.components import mqtt
from homeassistant.config_entries import ConfigFlow, ConfigFlowResult
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.service_info.mqtt import MqttServiceInfo
import voluptuous as vol

from .const import CONF_BASE, CONF_COMPANION, DEFAULT_BASE, DOMAIN
from .device import parsed
from .forms import may_choose_mode, read_info, title

BASE = vol.Schema({vol.Required(CONF_BASE): str})


class BridgeFlow(ConfigFlow, domain=DOMAIN):
    """Asks for what can't be found out."""

    VERSION = 1

    def __init__(self) -> None:
        """Begin without a bridge."""
        self.base = DEFAULT_BASE
        self.info: dict[str, Any] = {}

    async def async_step_mqtt(self, discovery_info: MqttServiceInfo) -> ConfigFlowResult:
        """Offer a bridge that was found."""
        base = discovery_info.topic.removesuffix("/bridge/info")
        if not (info := parsed(discovery_info.payload)) or not (instance := info.get("instance")):
            return self.async_abort(reason="no_bridge")
        self.base, self.info = base, info
        await self.async_set_unique_id(instance)
        self._abort_if_unique_id_configured()
        self.context["title_placeholders"] = {"name": title(info)}
        return await self.async_step_confirm()

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for the base topic of a bridge."""
        errors: dict[str, str] = {}
        if user_input is not None:
            errors = await self._look(user_input[CONF_BASE])
            if not errors:
                await self.async_set_unique_id(self.info["instance"], raise_on_progress=False)
                self._abort_if_unique_id_configured()
                return await self.async_step_confirm()
        schema = self.add_suggested_values_to_schema(BASE, user_input or {CONF_BASE: DEFAULT_BASE})
        return self.async_show_form(step_id="user", data_schema=schema, errors=errors)

    async def async_step_confirm(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Add the bridge, and have it announce only what the players lack, if a person wants that."""
        # The entry of a base follows a bridge that is called otherwise.
        self._async_abort_entries_match({CONF_BASE: self.base})
        errors: dict[str, str] = {}
        if user_input and user_input.get(CONF_COMPANION) and not await read_info(self.hass, self.base, mode="companion"):
            errors[CONF_COMPANION] = "mode_stays"
        if user_input is None or errors:
            offered = {vol.Required(CONF_COMPANION, default=True): bool} if may_choose_mode(self.info) else {}
            return self.async_show_form(
                step_id="confirm", data_schema=vol.Schema(offered), errors=errors,
                description_placeholders={"instance": self.info["instance"], "base": self.base, "version": str(self.info.get("version"))})
        return self.async_create_entry(title=title(self.info), data={CONF_BASE: self.base})

    async def async_step_reconfigure(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        """Ask for another base topic of the same bridge."""
        entry = self._get_reconfigure_entry()
        errors: dict[str, str] = {}
        if user_input is not None:
            errors = await self._look(user_input[CONF_BASE])
            if not errors:
                await self.async_set_unique_id(self.info["instance"], raise_on_progress=False)
                self._abort_if_unique_id_mismatch(reason="another_bridge")
                return self.async_update_reload_and_abort(entry, data_updates={CONF_BASE: self.base})
        schema = self.add_suggested_values_to_schema(BASE, user_input or entry.data)
        return self.async_show_form(step_id="reconfigure", data_schema=schema, errors=errors)

    async def _look(self, base: str) -> dict[str, str]:
        """Read bridge/info below a base topic; returns the errors of the form."""
        base = base.strip().strip("/")
        try:
            mqtt.valid_publish_topic(base)
        except vol.Invalid:
            return {CONF_BASE: "invalid_topic"}
        try:
            info = await read_info(self.hass, base)
        except HomeAssistantError:
            return {"base": "no_broker"}
        if not info or not info.get("instance"):
            return {CONF_BASE: "no_bridge"} if mqtt.is_connected(self.hass) else {"base": "no_broker"}
        self.base, self.info = base, info
        return {}

