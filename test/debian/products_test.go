package debian

// upstream is a product whose Dockerfile is released as it is.
type upstream struct {
	name   string
	module string // and its version
	// repository is where it is, as OWNER/NAME@TAG, for [snapshots].
	repository string
	file       string
	base       string   // suite of the base
	from       []string // what FROM calls the base
	others     []string // what FROM calls an image without a shell
	outputs    []string // where the stand-ins of programs go
	args       map[string]string
	line       string   // what RUN has of apt, for a comparison
	target     string   // the stage that is compared; the image itself if empty
	own        []string // files that other lines make
	installs   []string // some of the packages in the lock
	smoke      []string // a command that prints its version
	note       string
}

const kubernetes = "registry.k8s.io/build-image/debian-base:bookworm-"

// upstreams are the products, at the newest version whose Dockerfile asks for Debian's packages
// alone.
var upstreams = []upstream{
	{
		name: "secrets-store", module: "sigs.k8s.io/secrets-store-csi-driver@v1.5.3",
		repository: "kubernetes-sigs/secrets-store-csi-driver@v1.5.3",
		file:       "docker/Dockerfile", base: bookworm, from: []string{kubernetes + "v1.0.5"},
		outputs:  []string{"builder:/go/src/sigs.k8s.io/secrets-store-csi-driver/_output/secrets-store-csi"},
		installs: []string{"ca-certificates", "openssl"},
	},
	{
		name: "smb", module: "github.com/kubernetes-csi/csi-driver-smb@v1.20.1",
		repository: "kubernetes-csi/csi-driver-smb@v1.20.1",
		file:       "cmd/smbplugin/Dockerfile", base: bookworm, from: []string{kubernetes + "v1.0.7"},
		outputs: []string{"_output/amd64/smbplugin"},
		line: "apt update && apt upgrade -y && apt-mark unhold libcap2 && " +
			"clean-install ca-certificates cifs-utils util-linux e2fsprogs mount udev xfsprogs",
		own: []string{"/smbplugin", "/etc/krb5.conf"}, installs: []string{"cifs-utils", "udev"},
		smoke: []string{"mount.cifs", "-V"},
	},
	{
		name: "nfs", module: "github.com/kubernetes-csi/csi-driver-nfs@v0.0.0-20260822142328-d3b27c00743a",
		repository: "kubernetes-csi/csi-driver-nfs@HEAD",
		file:       "Dockerfile", base: bookworm, from: []string{kubernetes + "v1.0.8"},
		outputs: []string{"bin/amd64/nfsplugin"}, args: map[string]string{"ARCH": "amd64"},
		line: "apt update && apt upgrade -y && apt-mark unhold libcap2 && " +
			"clean-install ca-certificates mount nfs-common netbase",
		own: []string{"/nfsplugin"}, installs: []string{"nfs-common", "rpcbind"}, smoke: []string{"mount.nfs", "-V"},
	},
	{
		name: "iscsi", module: "github.com/kubernetes-csi/csi-driver-iscsi@v0.0.0-20260817031232-2cd66b8e3bd9",
		repository: "kubernetes-csi/csi-driver-iscsi@HEAD",
		file:       "Dockerfile", base: bookworm, from: []string{kubernetes + "v1.0.8"},
		outputs: []string{"bin/amd64/iscsiplugin"}, args: map[string]string{"ARCH": "amd64"},
		installs: []string{"open-iscsi", "btrfs-progs"}, smoke: []string{"iscsiadm", "--version"},
	},
	{
		name: "azuredisk", module: "sigs.k8s.io/azuredisk-csi-driver@v0.0.0-20260822142451-d983d613b6dd",
		repository: "kubernetes-sigs/azuredisk-csi-driver@HEAD",
		file:       "pkg/azurediskplugin/Dockerfile", base: bookworm, from: []string{kubernetes + "v1.0.8"},
		outputs: []string{"_output/amd64/azurediskplugin"}, installs: []string{"btrfs-progs", "xfsprogs"},
	},
	{
		name: "azurefile", module: "sigs.k8s.io/azurefile-csi-driver@v1.33.5",
		repository: "kubernetes-sigs/azurefile-csi-driver@v1.33.5",
		file:       "pkg/azurefileplugin/Dockerfile", base: bookworm, from: []string{kubernetes + "v1.0.5"},
		outputs: []string{
			"_output/amd64/azurefileplugin", "_output/amd64/azurefile-proxy", "builder:/usr/local/bin/azcopy",
		},
		installs: []string{"cifs-utils", "nfs-common"},
		note:     "later ones install a package of Microsoft's archive",
	},
	{
		name: "gcp-pd", module: "sigs.k8s.io/gcp-compute-persistent-disk-csi-driver@v1.28.1",
		repository: "kubernetes-sigs/gcp-compute-persistent-disk-csi-driver@v1.28.1",
		file:       "Dockerfile", base: trixie, from: []string{"gke.gcr.io/debian-base:trixie-v1.0.0-gke.2"},
		others:  []string{"gcr.io/distroless/base-debian13:latest"},
		outputs: []string{"builder:/go/src/sigs.k8s.io/gcp-compute-persistent-disk-csi-driver/bin/gce-pd-csi-driver"},
		line: "clean-install util-linux e2fsprogs mount ca-certificates udev xfsprogs nvme-cli xxd bash kmod " +
			"lvm2 mdadm btrfs-progs",
		target: "debian", installs: []string{"lvm2", "mdadm", "nvme-cli"}, smoke: []string{"/usr/sbin/nvme", "version"},
		note: "the distroless base is unpacked packages",
	},
	{
		name: "node-problem-detector", module: "k8s.io/node-problem-detector@v1.34.0",
		repository: "kubernetes/node-problem-detector@v1.34.0",
		file:       "Dockerfile", base: bookworm,
		from: []string{kubernetes + "v1.0.6@sha256:e100119ba6cf265b29957046f178e9374f9a9419133284c9b883e64c5b463d73"},
		outputs: []string{
			"builder:/gopath/src/k8s.io/node-problem-detector/bin/node-problem-detector",
			"builder:/gopath/src/k8s.io/node-problem-detector/bin/health-checker",
			"builder:/gopath/src/k8s.io/node-problem-detector/bin/log-counter",
		},
		args: map[string]string{"LOGCOUNTER": "bin/log-counter"}, installs: []string{"bash", "libsystemd-dev"},
		smoke: []string{"bash", "--version"},
	},
}
