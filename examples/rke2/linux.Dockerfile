# What RKE2 unpacks onto a Linux node: programs in /bin, charts in /charts. The images it takes from are bases of slipway.yaml.
FROM hardened-kubernetes AS kubernetes
FROM hardened-containerd AS containerd
FROM hardened-crictl AS crictl
FROM hardened-runc AS runc

FROM scratch
LABEL org.opencontainers.image.url="https://hub.docker.com/r/rancher/rke2-runtime"
COPY --from=runc /usr/local/bin/runc /bin/
COPY --from=crictl /usr/local/bin/crictl /bin/
COPY --from=containerd \
    /usr/local/bin/containerd \
    /usr/local/bin/containerd-shim-runc-v2 \
    /usr/local/bin/ctr \
    /bin/
COPY --from=kubernetes \
    /usr/local/bin/kubectl \
    /usr/local/bin/kubelet \
    /bin/
COPY --from=charts / /charts/
