# What RKE2 unpacks onto a Windows node. Nothing in it is run from the image, so it stands on nothing, and one set of layers serves every
# Windows release. Where curl, tar, unzip and mv were in a stage with RUN, here are ADD --checksum, --unpack, and COPY out of a stage.

# containerd, cross-compiled by its own image; RKE2 keeps its .exe files in one that is labelled as one for Linux.
FROM --platform=linux/amd64 hardened-containerd-windows AS containerd

FROM scratch AS downloads
ARG CONTAINERD_VERSION=2.3.4 CRICTL_VERSION=v1.36.0 CALICO_VERSION=v3.32.1 KUBERNETES_VERSION=v1.36.4
ARG GITHUB=https://github.com KUBERNETES=https://dl.k8s.io/release
ARG CONTAINERD_SHA256 CRICTL_SHA256 CALICO_SHA256 KUBELET_SHA256 KUBE_PROXY_SHA256
# The one program of containerd that cannot be cross-compiled.
ADD --unpack=true --checksum=sha256:${CONTAINERD_SHA256} ${GITHUB}/containerd/containerd/releases/download/v${CONTAINERD_VERSION}/containerd-${CONTAINERD_VERSION}-windows-amd64.tar.gz /containerd/
ADD --unpack=true --checksum=sha256:${CRICTL_SHA256} ${GITHUB}/kubernetes-sigs/cri-tools/releases/download/${CRICTL_VERSION}/crictl-${CRICTL_VERSION}-windows-amd64.tar.gz /crictl/
ADD --unpack=true --checksum=sha256:${CALICO_SHA256} ${GITHUB}/projectcalico/calico/releases/download/${CALICO_VERSION}/calico-windows-${CALICO_VERSION}.zip /calico/
ADD --checksum=sha256:${KUBELET_SHA256} ${KUBERNETES}/${KUBERNETES_VERSION}/bin/windows/amd64/kubelet.exe /kubernetes/
ADD --checksum=sha256:${KUBE_PROXY_SHA256} ${KUBERNETES}/${KUBERNETES_VERSION}/bin/windows/amd64/kube-proxy.exe /kubernetes/

FROM scratch
LABEL org.opencontainers.image.url="https://hub.docker.com/r/rancher/rke2-runtime"
WORKDIR /bin/
COPY --from=containerd /usr/local/bin/*.exe /bin/
COPY --from=downloads /containerd/bin/containerd-shim-runhcs-v1.exe /crictl/crictl.exe /bin/
COPY --from=downloads --chmod=755 /kubernetes/*.exe /bin/
COPY --from=downloads /calico/CalicoWindows/calico-node.exe /calico/CalicoWindows/cni/calico.exe /calico/CalicoWindows/cni/calico-ipam.exe /bin/
COPY --from=downloads /calico/CalicoWindows/confd /bin/confd
# The CNI plugins are cross-compiled here, from their module.
COPY --from=binaries windows_amd64/host-local.exe windows_amd64/win-overlay.exe /bin/
