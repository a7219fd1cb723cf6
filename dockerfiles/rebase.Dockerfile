# The rebase container of a kpack rebase pod, which runs on Linux whatever the image's system is.
FROM static
ARG TARGETOS TARGETARCH
COPY --from=binaries ${TARGETOS}_${TARGETARCH}/rebase /cnb/process/rebase
# By number, since the pod sets runAsNonRoot without runAsUser.
USER 65532:65532
ENTRYPOINT ["/cnb/process/rebase"]
