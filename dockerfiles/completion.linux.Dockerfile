# The last container of a kpack build pod. Pods of Linux builds and of all rebases run it.
FROM static
ARG TARGETOS TARGETARCH
# The file in this directory is a link, /tmp/termination-log -> /dev/termination-log: the program writes its message to the first path, and
# in the pod that rebases a Windows image kpack leaves it to the kubelet to look at the second (docs/adr/0014).
COPY tmp /tmp
COPY --from=binaries ${TARGETOS}_${TARGETARCH}/completion /cnb/process/completion
# By number, since a rebase pod sets runAsNonRoot without runAsUser.
USER 65532:65532
ENTRYPOINT ["/cnb/process/completion"]
