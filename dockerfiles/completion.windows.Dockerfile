# The last container of a kpack build pod on Windows. kpack starts it as /networkWait/network-wait-launcher HOST -- /cnb/process/completion,
# with the launcher that build-init left there; the one here, a layer shared with build-init, is for starting it the same way without kpack.
FROM nanoserver
ARG TARGETOS TARGETARCH
COPY --from=binaries ${TARGETOS}_${TARGETARCH}/network-wait-launcher.exe /cnb/process/network-wait-launcher.exe
COPY --from=binaries ${TARGETOS}_${TARGETARCH}/completion.exe /cnb/process/completion.exe
USER ContainerUser
ENTRYPOINT ["C:\\cnb\\process\\completion.exe"]
