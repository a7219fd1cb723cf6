FROM cifs
COPY --from=binaries linux_amd64/smbplugin /smbplugin
ENTRYPOINT ["/smbplugin"]
