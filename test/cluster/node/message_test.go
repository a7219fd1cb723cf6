package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestMessage: the message is what the container wrote, and where it failed without a word, the
// end of its log if the policy says so.
func TestMessage(t *testing.T) {
	const file, fallback = corev1.TerminationMessageReadFile, corev1.TerminationMessageFallbackToLogsOnError
	long, log := strings.Repeat("x", 10)+strings.Repeat("y", maxMessage), strings.Repeat("0123456789\n", 1000)
	for _, c := range []struct {
		name            string
		policy          corev1.TerminationMessagePolicy
		wrote, log, got string
		failed          bool
	}{
		{name: "what it wrote", policy: file, wrote: "built", log: "log", got: "built"},
		{
			name: "what it wrote before it failed", policy: fallback, wrote: "broken", log: "log", failed: true,
			got: "broken",
		},
		{name: "the end of what is too long", policy: file, wrote: long, got: long[10:]},
		{name: "nothing, as it did not fail", policy: fallback, log: "log"},
		{name: "nothing, by the policy", policy: file, log: "log", failed: true},
		{name: "the log", policy: fallback, log: "log\n", failed: true, got: "log\n"},
		{
			name: "the last lines of the log", policy: fallback, log: log, failed: true,
			got: strings.Repeat("0123456789\n", maxLogLines),
		},
		{
			name: "the end of the last lines", policy: fallback, log: long,
			failed: true, got: strings.Repeat("y", maxLog),
		},
	} {
		path := filepath.Join(t.TempDir(), "message")
		if err := os.WriteFile(path, []byte(c.wrote), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := message(c.policy, path, c.log, c.failed); err != nil || got != c.got {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.got)
		}
	}
}

// TestMountMessage: what a program writes at the path, by whatever links of its image, is the
// message; without a way there it is not.
func TestMountMessage(t *testing.T) {
	n := newNamespace(t)
	for _, c := range []struct{ name, link, path, writes, got string }{
		{name: "the usual path", path: "/dev/termination-log", writes: "dev/termination-log", got: "built"},
		{name: "another", path: "/tmp/termination-log", writes: "tmp/termination-log", got: "built"},
		{name: "a directory that is not there", path: "/var/run/log", writes: "var/run/log", got: "built"},
		{
			name: "a link to the path", link: "../dev/termination-log", path: "/dev/termination-log",
			writes: "tmp/termination-log", got: "built",
		},
		{
			name: "a link at the path", link: "/dev/termination-log", path: "/tmp/termination-log",
			writes: "dev/termination-log", got: "built",
		},
		{
			name: "a link that would lead out", link: "../../../dev/log", path: "/tmp/termination-log",
			writes: "dev/log", got: "built",
		},
		{name: "no link", path: "/dev/termination-log", writes: "tmp/termination-log"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &Agent{Dir: t.TempDir()}
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "1"}}
			container := &corev1.Container{Name: "completion", TerminationMessagePath: c.path}
			root := a.root(pod, container)
			if err := os.MkdirAll(filepath.Join(root, "tmp"), 0o755); err != nil {
				t.Fatal(err)
			}
			if c.link != "" {
				if err := os.Symlink(c.link, filepath.Join(root, "tmp", "termination-log")); err != nil {
					t.Fatal(err)
				}
			}
			if err := a.mountMessage(pod, container, root, n); err != nil {
				t.Fatal(err)
			}
			if err := n.Do(func() error {
				return os.WriteFile(filepath.Join(root, c.writes), []byte("built"), 0o600)
			}); err != nil {
				t.Fatal(err)
			}
			if got, err := message("", a.messageFile(pod, container), "", false); err != nil || got != c.got {
				t.Errorf("the message is %q, %v, want %q", got, err, c.got)
			}
			if fi, err := os.Stat(a.messageFile(pod, container)); err != nil || fi.Mode().Perm() != 0o666 {
				t.Errorf("its file is %v, %v", fi, err)
			}
		})
	}
}
