package assemble_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/testing/programtest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// registrar is a Dockerfile of kubernetes-csi/node-driver-registrar. It is written for
// distroless static, where the working directory, the target of its COPY, is /.
const registrar = `FROM %BASE%
LABEL maintainers="Kubernetes Authors"
LABEL description="CSI Node driver registrar"
ARG binary=./bin/csi-node-driver-registrar

COPY ${binary} csi-node-driver-registrar
ENTRYPOINT ["/csi-node-driver-registrar"]
`

// TestStarts checks that an entrypoint that names no program of the image is an
// error with a remedy, and that one note for all platforms reports what cannot be
// checked in an unknown base.
func TestStarts(t *testing.T) {
	for _, tc := range []struct{ base, says, warns string }{
		{base: "static-root"},
		{"static", "building image csi: linux/amd64: %DIR%/Dockerfile:7:1: ENTRYPOINT /csi-node-driver-registrar: " +
			"the image has no such file: did you mean /home/nonroot/csi-node-driver-registrar?", ""},
		{"scratch", "", ""},
		{"busybox", "", ""},
		{"shell", "", "warning: image csi for linux/amd64: %DIR%/Dockerfile:7:1: " +
			"ENTRYPOINT /bin/sh: no COPY or ADD adds it, and the files of the base are unknown"},
	} {
		t.Run(tc.base, func(t *testing.T) {
			dir := t.TempDir()
			text := strings.ReplaceAll(registrar, "%BASE%", tc.base)
			if tc.base == "shell" {
				text = strings.NewReplacer("%BASE%", "busybox", `["/csi-node-driver-registrar"]`,
					"/csi-node-driver-registrar").Replace(registrar)
			}
			for name, content := range map[string]string{
				"Dockerfile": text,
				"slipway.yaml": `apiVersion: slipway/v1
name: csi
version: 1.0.0
platforms: [linux/amd64]
sources: [{name: here, directory: ., revision: abc, created: 2025-01-01T00:00:00Z}]
bases:
  - {name: static, builtin: static}
  - {name: static-root, builtin: static-root}
  - {name: busybox, images: {linux/amd64: "example.com/busybox:1"}}
images:
  - {name: csi, source: here, dockerfile: {file: Dockerfile, context: .}}
`,
				"bin/csi-node-driver-registrar": string(programtest.ELF(programtest.Needs{})),
			} {
				p := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(p, []byte(content), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			var log bytes.Buffer
			pr := progress.New(&log)
			_, err := assemble.Build(t.Context(), load(t, dir), assemble.Options{Store: storetest.Open(t), Progress: pr})
			pr.Close()
			says, warns := strings.ReplaceAll(tc.says, "%DIR%", dir), strings.ReplaceAll(tc.warns, "%DIR%", dir)
			if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
				t.Errorf("the error is %v, want %q", err, says)
			}
			if n := strings.Count(log.String(), "warning: "); !strings.Contains(log.String(), warns) ||
				n > 1 || warns == "" && n > 0 {
				t.Errorf("the log is %q, want %q", log.String(), warns)
			}
		})
	}
}
