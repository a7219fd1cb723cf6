package registry

import "testing"

// TestSplit: an image of Docker Hub is served under the name that nodes ask for.
func TestSplit(t *testing.T) {
	for ref, want := range map[string]string{
		"busybox:1": "library/busybox 1", "docker.io/busybox:1": "library/busybox 1",
		"index.docker.io/busybox:1":   "library/busybox 1",
		"docker.io/library/busybox:1": "library/busybox 1", "docker.io/me/app:2": "me/app 2", "me/app:2": "me/app 2",
		"localhost:5000/app:3": "app 3", "registry.example/team/app": "team/app ",
	} {
		if path, tag := split(ref); path+" "+tag != want {
			t.Errorf("%s is %s %s, want %s", ref, path, tag, want)
		}
	}
}
