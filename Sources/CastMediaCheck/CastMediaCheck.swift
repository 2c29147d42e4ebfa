@_exported import CastModels
@_exported import MediaFindings

#if !DeviceAuthentication
    #error("CastMediaCheck reads certificates: add the trait DeviceAuthentication to the dependency on cast2mqtt")
#endif
