# The first container of a kpack build pod. FROM names a base of slipway.yaml; the context "binaries" holds its programs.
FROM static
ARG TARGETOS TARGETARCH
COPY --from=binaries ${TARGETOS}_${TARGETARCH}/build-init /cnb/process/build-init
# By number, since the pod sets runAsNonRoot.
USER 65532:65532
ENTRYPOINT ["/cnb/process/build-init"]
