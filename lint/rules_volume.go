package lint

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/slipway-dev/slipway/internal/workload"
)

// volumeRules are about the volumes of Windows pods and how they are mounted.
var volumeRules = []Rule{
	{
		ID: "windows-sub-path", Severity: Warning, OS: windows,
		check:   subPaths,
		Title:   "mounting a part of a volume is documented as not supported on Windows",
		Reason:  "The documentation says that only a whole volume can be mounted. The kubelet does have code for it, and containerd mounts what it finds; but no release promises so. Parts of ConfigMap, Secret, projected and downward API volumes are not found: conformance tests mount those on Windows nodes with containerd. Nor are those of HostProcess pods, whose processes see the node's own files.",
		Instead: "the whole volume in a directory of its own",
		Link:    linkStorage,
		Changed: "It could not work: Docker mounted whole volumes only.",
	},
	{
		ID: "windows-file-mount", Severity: Note, OS: windows, check: inVolumes(fileHostPath),
		Title:   "a single file is mounted, which not every Windows runtime can do",
		Reason:  "containerd mounts files into Windows containers; Docker mounts directories only.",
		Instead: "a directory with the file in it",
		Link:    linkStorage,
		Changed: "No runtime could; containerd, which has been the runtime on Windows since Docker's shim left in 1.24, can.",
	},
	{
		ID: "windows-mount-propagation", Severity: Error, OS: windows,
		check: inMounts(func(m corev1.VolumeMount, report reportFunc) {
			if m.MountPropagation != nil && *m.MountPropagation != corev1.MountPropagationNone {
				report("", "mountPropagation")
			}
		}),
		Title:   "mounts do not propagate on Windows",
		Reason:  "The kubelet asks for a private mount whatever the field says: what either side mounts later, the other does not see.",
		Instead: "leave it out, or a HostProcess container, which sees the node's own filesystem",
		Link:    linkPod,
		Changed: "Early documentation for 1.14 had HostToContainer as the one mode that works; the enhancement says, as the kubelet does, that none is supported.",
	},
	{
		ID: "windows-volume-devices", Severity: Error, OS: windows,
		check: inContainers(func(c workload.Container, report reportFunc) {
			if len(c.VolumeDevices) > 0 {
				report("", "volumeDevices")
			}
		}),
		Title:   "Windows containers have no raw block devices",
		Reason:  "Windows cannot attach a block device to a container: the pod is not started.",
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
		Title:   "Windows has no volumes in memory",
		Reason:  "Windows has no RAM disk of its own. The kubelet tries to mount a tmpfs, which it cannot there, and the pod is not started.",
		Instead: "`emptyDir: {}`, which is on disk",
		Link:    linkStorage,
	},
	{
		ID: "windows-default-mode", Severity: Warning, OS: windows, check: inVolumes(fileModes),
		Title:   "files have no mode on Windows",
		Reason:  "Modes are for numeric users. Everybody in the container can read the file, whatever the mode says.",
		Instead: "leave it out",
		Link:    linkStorage,
	},
	{
		ID: "windows-nfs", Severity: Error, OS: windows,
		check: inVolumes(func(v corev1.Volume, report reportFunc) {
			if v.NFS != nil {
				report("", "nfs")
			}
		}),
		Title:   "Windows nodes mount no NFS",
		Reason:  "The kubelet mounts disks and SMB shares there; everything else is an error, and the pod is not started.",
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
		Title:   "Windows nodes have no such volume plugin",
		Reason:  "The plugins for iSCSI and FC run programs of a Linux node.",
		Instead: "a CSI driver for Windows",
		Link:    linkStorage + "#in-tree-volume-plugins",
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
		Title:   "a Windows node has no sockets or devices among its files",
		Reason:  "The kubelet finds something else at the path, or nothing, and does not start the pod.",
		Instead: "a named pipe, `path: \\\\.\\pipe\\NAME`, without a type",
		Link:    "https://kubernetes.io/docs/concepts/storage/volumes/#hostpath",
	},
}
