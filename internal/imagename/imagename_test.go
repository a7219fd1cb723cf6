package imagename

import (
	"net/url"
	"path"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for name, want := range map[string]string{
		"ghcr.io/me/kpack/controller:0.16.1":              "",
		"docker.io/library/busybox:1":                     "",
		"localhost:5000/a:b":                              "",
		"slipway.local/a__b/c-d.e/f---g:_x":               "",
		"[::1]:5000/a:1":                                  "",
		"Registry.Internal/a:1":                           "",
		"registry.internal/a/../b:1":                      `".." is not a part`,
		"registry.internal/../../v2/a:1":                  `".." is not a part`,
		"registry.internal/./a:1":                         `"." is not a part`,
		"registry.internal//a:1":                          `"" is not a part`,
		"registry.internal/a/:1":                          `"" is not a part`,
		"registry.internal/Upper:1":                       `"Upper" is not a part`,
		"registry.internal/a%2f..%2fb:1":                  "is not a part",
		"registry.internal/a b:1":                         "is not a part",
		"registry.internal/a\x1b]0;x\a:1":                 "is not a part",
		"registry.internal/a..b:1":                        "is not a part",
		"registry.internal/-a:1":                          "is not a part",
		"../a:1":                                          `".." is not a host`,
		"./a:1":                                           `"." is not a host`,
		"me:pw@host/a:1":                                  "is not a host",
		"host-/a:1":                                       "is not a host",
		"a..b/a:1":                                        "is not a host",
		"busybox:1":                                       "is not a host",
		"registry.internal/a":                             "it has no tag",
		"registry.internal:5000/a":                        "it has no tag",
		"registry.internal/a:..":                          "is not a tag",
		"registry.internal/a:":                            "is not a tag",
		"registry.internal/a:" + strings.Repeat("x", 129): "is not a tag",
		"registry.internal/" + strings.Repeat("x/", 120) + "yyyyyyyyyyyy:1": "more than 255",
	} {
		err := Check(name)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("Check(%q) = %v, want %q", name, err, want)
		}
	}
}

// FuzzCheck: a good name is the same URL and the same path after they were cleaned: it leads
// nowhere else.
func FuzzCheck(f *testing.F) {
	for _, s := range []string{"ghcr.io/me/a:1", "host/../a:1", "[::1]:5000/a:1", "a/b%2e:1", "host/a\n:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if Check(s) != nil {
			return
		}
		host, rest, _ := strings.Cut(s, "/")
		repo, tag, _ := strings.Cut(rest, ":")
		u, err := url.Parse("https://" + host + "/v2/" + repo + "/manifests/" + tag)
		if err != nil || u.Host != host || u.User != nil || path.Clean(u.Path) != "/v2/"+repo+"/manifests/"+tag ||
			u.RawQuery != "" || u.Fragment != "" {
			t.Errorf("%q became %v: %v", s, u, err)
		}
		if p := path.Join("x", s); p != "x/"+s {
			t.Errorf("%q became the path %q", s, p)
		}
	})
}
