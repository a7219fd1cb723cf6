package verifiers

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// elsewhere is where operators have a release that came as a file.
type elsewhere struct {
	name  string
	place string // registry, and the path below which all repositories are
}

// unpacked returns the store of the release as `slipway serve` serves it, which has the referrers
// API, and a private registry without it that a bundle was pushed to.
func unpacked(t *testing.T, s *signed) []elsewhere {
	t.Helper()
	r := registries()[len(registries())-1]
	to := r.host + "/mirror"
	cmd := s.slipway("airgap", "push", "-q", "-key="+s.key(), "-to="+to, s.path("hello-images.tar.zst"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("slipway airgap push: %v\n%s", err, out)
	}
	return []elsewhere{{"slipway serve", served(t, s)}, {"a bundle in " + r.name, to}}
}

// served runs `slipway serve` until the test ends, and returns its address.
func served(t *testing.T, s *signed) string {
	t.Helper()
	cmd := s.slipway("serve", "-q")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, cmd, out) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func stop(t *testing.T, cmd *exec.Cmd, out io.Reader) {
	t.Helper()
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	io.Copy(io.Discard, out) //nolint:errcheck // to its end
	cmd.Wait()               //nolint:errcheck // it was interrupted
}

// TestUnpacked: every verifier accepts the index and both manifests of a bundle that was pushed
// to a private registry, and of `slipway serve`, and refuses another key. A policy of
// containers/image has to know under which name the image was signed.
func TestUnpacked(t *testing.T) {
	s := theRelease(t)
	for _, e := range unpacked(t, s) {
		for _, v := range verifiers {
			t.Run(e.name+"/"+v.name+"/"+v.call, func(t *testing.T) {
				for n, sub := range s.subjects() {
					ref := s.repository(t, e.place).Digest(sub.digest.String())
					ask := func(key string) error { return v.ask(t, key, ref) }
					if v.private != nil {
						ask = func(key string) error {
							return v.private(t, key, ref, s.repository(t, registries()[0].host))
						}
					}
					if err := ask(s.key()); err != nil {
						t.Errorf("%s: %v", sub.name, err)
					}
					if n > 0 {
						continue
					}
					if err := ask(s.other()); err == nil {
						t.Errorf("%s: another key is accepted", sub.name)
					}
					if v.private != nil {
						refuses(t, v, s.key(), ref) // it is another name than the signed one
					}
				}
			})
		}
	}
}
