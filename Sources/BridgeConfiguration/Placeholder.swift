import BridgeCore
