FROM servercore AS addon

FROM nanoserver
COPY --from=addon /Windows/System32/netapi32.dll /Windows/System32/netapi32.dll
COPY --from=binaries windows_amd64/smbplugin.exe /smbplugin.exe
USER ContainerAdministrator
ENTRYPOINT ["/smbplugin.exe"]
