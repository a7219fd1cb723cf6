# The first container of a kpack build pod on Windows. build-init copies network-wait-launcher.exe, which must lie beside it, to where
# the later containers start through it: on Windows the network may come up after a container does.
FROM nanoserver
ARG TARGETOS TARGETARCH
COPY --from=binaries ${TARGETOS}_${TARGETARCH}/network-wait-launcher.exe /cnb/process/network-wait-launcher.exe
COPY --from=binaries ${TARGETOS}_${TARGETARCH}/build-init.exe /cnb/process/build-init.exe
USER ContainerUser
ENTRYPOINT ["C:\\cnb\\process\\build-init.exe"]
