package lint

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/render/workload"
)

// volumeRules are about the volumes of Windows pods and how they are mounted.
var volumeRules = []Rule{
	{
		ID: "windows-sub-path", Severity: Warning, OS: windows,
		check: subPaths,
		Title: "the documentation does not support mounting a part of a volume on Windows",
		Reason: "According to the documentation only an entire volume can be mounted. The kubelet " +
			"has code for parts, and containerd mounts them, " +
			"but no release promises so. The rule does not apply to ConfigMap, " +
			"Secret, projected and downward API volumes, " +
			"of which conformance tests mount parts on Windows nodes with " +
			"containerd, nor to HostProcess pods, whose processes see the node's own files.",
		Instead: "the entire volume in a directory of its own",
		Link:    linkStorage,
		Changed: "Docker mounted entire volumes only.",
	},
	{
		ID: "windows-file-mount", Severity: Note, OS: windows, check: inVolumes(fileHostPath),
		Title:   "a single file is mounted, which not every Windows runtime can do",
		Reason:  "containerd mounts files into Windows containers; Docker mounts directories only.",
		Instead: "a directory with the file in it",
		Link:    linkStorage,
		Changed: "No runtime could; containerd, " +
			"which has been the runtime on Windows since Docker's shim left in 1.24, can.",
	},
	{
		ID: "windows-mount-propagation", Severity: Error, OS: windows,
		check: inMounts(func(m corev1.VolumeMount, report reportFunc) {
			if m.MountPropagation != nil && *m.MountPropagation != corev1.MountPropagationNone {
				report("", "mountPropagation")
			}
		}),
		Title: "mounts do not propagate on Windows",
		Reason: "The kubelet asks for a private mount whatever the field's value: " +
			"neither side sees later mounts of the other.",
		Instead: "remove it, or a HostProcess container, which sees the node's own filesystem",
		Link:    linkPod,
		Changed: "Early documentation for 1.14 listed HostToContainer as the one supported mode; " +
			"enhancement and kubelet support none.",
	},
	{
		ID: "windows-volume-devices", Severity: Error, OS: windows,
		check: inContainers(func(c workload.Container, report reportFunc) {
			if len(c.VolumeDevices) > 0 {
				report("", "volumeDevices")
			}
		}),
		Title:   "Windows containers have no raw block devices",
		Reason:  "Windows cannot attach a block device to a container: the pod does not start.",
		Instead: "`volumeMounts` of a volume with a filesystem",
		Link:    linkPod,
	},
	{
		ID: "windows-memory-volume", Severity: Error, OS: windows,
		check: inVolumes(func(v corev1.Volume, report reportFunc) {
			if v.EmptyDir != nil && v.EmptyDir.Medium == corev1.StorageMediumMemory {
				report("", "emptyDir", "medium")
			}
		}),
		Title: "Windows has no volumes in memory",
		Reason: "Windows has no RAM disk. The kubelet tries to mount a tmpfs, " +
			"which fails, and the pod does not start.",
		Instead: "`emptyDir: {}`, which is on disk",
		Link:    linkStorage,
	},
	{
		ID: "windows-default-mode", Severity: Warning, OS: windows, check: inVolumes(fileModes),
		Title:   "files have no mode on Windows",
		Reason:  "Modes are for numeric users. Every account in the container can read the file, whatever its mode.",
		Instead: "remove it",
		Link:    linkStorage,
	},
	{
		ID: "windows-nfs", Severity: Error, OS: windows,
		check: inVolumes(func(v corev1.Volume, report reportFunc) {
			if v.NFS != nil {
				report("", "nfs")
			}
		}),
		Title: "Windows nodes cannot mount NFS",
		Reason: "The kubelet mounts disks and SMB shares there; everything else is an error, " +
			"and the pod does not start.",
		Instead: "an SMB share through the CSI driver smb.csi.k8s.io, or another CSI driver for Windows",
		Link:    linkStorage,
	},
	{
		ID: "windows-volume-plugin", Severity: Error, OS: windows,
		check: inVolumes(func(v corev1.Volume, report reportFunc) {
			switch {
			case v.ISCSI != nil:
				report("", "iscsi")
			case v.FC != nil:
				report("", "fc")
			}
		}),
		Title:   "Windows nodes do not have the volume plugin",
		Reason:  "The plugins for iSCSI and FC run programs of a Linux node.",
		Instead: "a CSI driver for Windows",
		Link:    linkStorage + "#in-tree-volume-plugins",
	},
	{
		ID: "windows-image-volume", Severity: Warning, OS: windows,
		check: inVolumes(func(v corev1.Volume, report reportFunc) {
			if v.Image != nil {
				report("", "image")
			}
		}),
		Title: "containerd does not support images as volumes on Windows",
		Reason: "Image volumes are stable since Kubernetes 1.36, and the enhancement does not mention " +
			"Windows. containerd has code for Linux only: what compiles on Windows takes an existing " +
			"directory for a mount, so that the volume is empty once containerd has restarted.",
		Instead: "an init container with the image, which copies the files into an `emptyDir`",
		Link:    "https://github.com/containerd/containerd/issues/11903",
	},
	{
		ID: "windows-host-path-type", Severity: Error, OS: windows,
		check: inVolumes(func(v corev1.Volume, report reportFunc) {
			if h := v.HostPath; h != nil && h.Type != nil {
				switch *h.Type {
				case corev1.HostPathSocket, corev1.HostPathCharDev, corev1.HostPathBlockDev:
					report("", "hostPath", "type")
				}
			}
		}),
		Title:   "the files of a Windows node include no sockets or devices",
		Reason:  "The kubelet finds something else at the path, or nothing, and does not start the pod.",
		Instead: "a named pipe, `path: \\\\.\\pipe\\NAME`, without a type",
		Link:    "https://kubernetes.io/docs/concepts/storage/volumes/#hostpath",
	},
}
