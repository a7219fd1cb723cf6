FROM hostprocess
COPY --from=binaries windows_amd64/smbplugin.exe /smbplugin.exe
ENV PATH="C:\\Windows\\system32;C:\\Windows;C:\\WINDOWS\\System32\\WindowsPowerShell\\v1.0\\;"
USER ContainerAdministrator
ENTRYPOINT ["/smbplugin.exe"]
