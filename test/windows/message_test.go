package windows

import (
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/platform"
)

// TestMessage runs completion on Linux as two pods of kpack's do, in containers of the runtimes
// of this system and of today. It always writes its message to /tmp/termination-log. For a Linux
// image the kubelet mounts a file there, for the rebase of a Windows image at
// /dev/termination-log. Both have to get it (ADR 14), also where the rest cannot be written.
func TestMessage(t *testing.T) {
	r := open(t)
	linux := r.children(t, platform.Linux)["completion"]
	if len(linux) == 0 {
		t.Fatal("completion has no Linux child")
	}
	s := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0)),
		registry.WithBlobHandler(registry.NewDiskBlobHandler(t.TempDir()))))
	defer s.Close()
	host := strings.TrimPrefix(s.URL, "http://")
	image, err := name.NewTag(host + "/completion:1")
	if err == nil {
		err = remote.Write(image, linux[0].image)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := pod{host: host}
	app, cache := p.pushApp(t)
	for _, d := range []struct {
		name  string
		start func(testing.TB) (socket, ctr string)
	}{
		{"containerd of this system", func(t testing.TB) (string, string) { return testprog.Containerd(t), "ctr" }},
		{"containerd 2", func(t testing.TB) (string, string) { return testprog.Containerd2(t) }},
	} {
		t.Run(d.name, func(t *testing.T) {
			socket, ctr := d.start(t)
			run := func(t *testing.T, args ...string) string {
				t.Helper()
				return testprog.Run(t, ctr, append([]string{"--address", socket}, args...)...)
			}
			run(t, "images", "pull", "--plain-http", "--snapshotter", "native", image.Name())
			volume := t.TempDir()
			if err := os.WriteFile(filepath.Join(volume, "report.toml"), []byte(p.report(app)), 0o644); err != nil {
				t.Fatal(err)
			}
			for n, path := range []string{"/tmp/termination-log", "/dev/termination-log"} {
				for m, more := range [][]string{nil, {"--read-only"}} {
					t.Run(strings.Join(append(more, path), " "), func(t *testing.T) {
						file := messageFile(t)
						// What runc keeps of containers is by default in one directory for all
						// daemons of a machine.
						args := append([]string{
							"run", "--rm", "--net-host", "--runc-root",
							filepath.Join(filepath.Dir(socket), "runc"), "--snapshotter", "native",
						}, more...)
						args = append(
							args, "--mount", "type=bind,src="+file+",dst="+path+",options=rbind:rw",
							"--mount", "type=bind,src="+volume+",dst=/var/report,options=rbind:ro",
							"--env", "CACHE_TAG="+host+"/cache:1", "--env",
							"TERMINATION_MESSAGE_PATH=/tmp/termination-log",
							image.Name(), fmt.Sprintf("completion-%d-%d", n, m), linux[0].config.Config.Entrypoint[0])
						// ctr may not have read all of it when the container ends, which has to
						// end well
						t.Log(run(t, args...))
						text, err := os.ReadFile(file)
						if err != nil {
							t.Fatal(err)
						}
						checkReport(t, string(text), app, cache)
					})
				}
			}
		})
	}
}

// messageFile is a file as the kubelet makes it for a container's message.
func messageFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "message")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}
