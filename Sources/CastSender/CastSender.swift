@_exported import CastModels
@_exported import NetworkReach

#if DeviceAuthentication
    @_exported import CastAuthentication
#endif
