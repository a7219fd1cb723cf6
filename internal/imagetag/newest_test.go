package imagetag

import "testing"

func TestNewest(t *testing.T) {
	list := []string{
		"latest", "1.2.3", "v1.9.0", "1.10.0", "2.0.0-rc.1", "1.10.0-alpine", "20251112", "3.0.0-nanoserver",
		"sha256-0f", "1.10",
	}
	for tag, want := range map[string]string{
		"1.2.3":        "1.10.0",
		"1.10.0":       "",
		"v1.2.3":       "v1.9.0",
		"2.0.0-beta.1": "2.0.0-rc.1",
		"1.9.0-alpine": "1.10.0-alpine",
		"1.2":          "1.10",
		"latest":       "",
	} {
		if got := Newest(tag, list); got != want {
			t.Errorf("Newest(%q) = %q, want %q", tag, got, want)
		}
	}
}
