# The last container of a kpack build pod. Pods of Linux builds and of all rebases run it.
FROM static
ARG TARGETOS TARGETARCH
COPY --from=binaries ${TARGETOS}_${TARGETARCH}/completion /cnb/process/completion
# By number, since a rebase pod sets runAsNonRoot without runAsUser.
USER 65532:65532
ENTRYPOINT ["/cnb/process/completion"]
