package examples

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/release"
)

// TestImages lists the images of kpack and of the examples, with the systems of their bundles.
func TestImages(t *testing.T) {
	for _, tt := range []struct{ dir, want string }{
		{".", `
kpack/controller linux
kpack/webhook linux
kpack/build-waiter linux
kpack/build-init linux windows
kpack/completion linux windows
kpack/rebase linux
kpack/lifecycle linux
pause linux windows: images.txt
`},
		{"examples/hello", `
hello/hello linux windows
hello/hostinfo linux windows
`},
		{"examples/csi-driver-smb", `
sig-storage/smbplugin linux windows
sig-storage/smbplugin windows
sig-storage/livenessprobe linux windows: 3 places
sig-storage/csi-node-driver-registrar linux windows: 2 places
sig-storage/csi-provisioner linux: Deployment kube-system/csi-smb-controller container csi-provisioner
sig-storage/csi-resizer linux: Deployment kube-system/csi-smb-controller container csi-resizer
sig-storage/csi-provisioner linux: not pinned
sig-storage/csi-resizer linux: not pinned
sig-storage/livenessprobe linux: not pinned
sig-storage/csi-node-driver-registrar linux windows: not pinned
`},
	} {
		t.Run(tt.dir, func(t *testing.T) {
			file, err := slipway()
			must(t, err)
			dir := filepath.Join("..", "..", tt.dir)
			if strings.HasSuffix(dir, "csi-driver-smb") { // it is not pinned
				p := copied(t, "csi-driver-smb")
				p.replace(t, "slipway.yaml", smbLinux, smbLinux+"@sha256:"+strings.Repeat("0", 64))
				dir = p.dir
			}
			out, err := exec.CommandContext(t.Context(), file, "images",
				"-json", "-product="+filepath.Join(dir, "slipway.yaml")).Output()
			must(t, err)
			var got struct{ Images []release.NeededImage }
			must(t, json.Unmarshal(out, &got))
			var lines []string
			for _, i := range got.Images {
				lines = append(lines, shown(i))
			}
			if d := cmp.Diff(strings.TrimSpace(tt.want), strings.Join(lines, "\n")); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// shown is an image without its registry and version.
func shown(i release.NeededImage) string {
	name := i.Reference[strings.Index(i.Reference, "/")+1:]
	name, _, _ = strings.Cut(name, ":")
	line := strings.Join(append([]string{name}, i.OS...), " ")
	switch from := i.From; {
	case i.Product:
	case !i.Pinned:
		line += ": not pinned"
	case len(from) > 1:
		line += ": " + string(rune('0'+len(from))) + " places"
	case strings.HasPrefix(from[0], "images.txt:"):
		line += ": images.txt"
	default:
		line += ": " + from[0]
	}
	return line
}
