FROM servercore AS addon

FROM nanoserver
# As in upstream's image. Go programs load netapi32.dll only when they look up users (os/user): Current has not needed it since Go 1.24, but
# Lookup does. Nanoserver has the DLL from Server 2025 on.
COPY --from=addon /Windows/System32/netapi32.dll /Windows/System32/netapi32.dll
COPY --from=binaries windows_amd64/smbplugin.exe /smbplugin.exe
USER ContainerAdministrator
ENTRYPOINT ["/smbplugin.exe"]
