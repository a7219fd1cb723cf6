package audit_test

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/lint"
)

// damages are what happens to a layer, by the finding that comes of it.
var damages = map[string]func(file string) error{
	"error archive-missing the archive lacks sha256:": os.Remove,
	"error archive-damaged the bytes of sha256:": func(file string) error {
		return os.WriteFile(file, []byte("damaged"), 0o644)
	},
}

// TestAge judges configurations. Those of Microsoft's bases are as in the histories of
// https://github.com/docker-library/repo-info: servercore of March 2025 and of November 2026.
func TestAge(t *testing.T) {
	at := func(s string) v1.Time {
		d, err := time.Parse(time.DateOnly, s)
		must(t, err)
		return v1.Time{Time: d}
	}
	history := func(days ...string) (list []v1.History) {
		for n, day := range days {
			by := []string{"Apply image 10.0.20348.2700", "Install update 10.0.20348.3328", "COPY app.exe"}[n]
			list = append(list, v1.History{Created: at(day), CreatedBy: by})
		}
		return list
	}
	for _, tc := range []struct {
		name   string
		config v1.ConfigFile
		layers []v1.Descriptor
		want   []string
	}{
		{"old", v1.ConfigFile{
			OS: "windows", OSVersion: "10.0.20348.3328", Created: at("2026-11-01"),
			History: history("2024-09-06", "2025-03-06", "2026-11-01"),
		}, nil, []string{
			"note index-base-old its base, Windows 10.0.20348.3328, is of 2025-03-06: Microsoft has had 20 patch days since, " +
				"the last on 2026-11-10; the mainstream support of Windows Server 2022 ended on 2026-10-13",
		}},
		{"two behind", v1.ConfigFile{OS: "windows", OSVersion: "10.0.26100.1", History: history("2026-09-04")}, nil, []string{
			"note index-base-old its base, Windows 10.0.26100.1, is of 2026-09-04: Microsoft has had 2 patch days since, " +
				"the last on 2026-11-10",
		}},
		{"one behind", v1.ConfigFile{OS: "windows", OSVersion: "10.0.26100.1", History: history("2026-10-09")}, nil, nil},
		{
			"no history",
			v1.ConfigFile{OS: "windows", OSVersion: "10.0.26100.1", Created: at("2026-01-02")},
			[]v1.Descriptor{{Size: 100 << 20}},
			[]string{
				"note index-base-old its base, Windows 10.0.26100.1, has no date, and the image is of 2026-01-02: Microsoft has " +
					"had 11 patch days since, the last on 2026-11-10",
			},
		},
		{
			"no base",
			v1.ConfigFile{OS: "windows", OSVersion: "10.0.26100.1", Created: at("2026-01-02")},
			[]v1.Descriptor{{Size: 1 << 10}},
			nil,
		},
		{
			"reproducible",
			v1.ConfigFile{OS: "windows", OSVersion: "10.0.26100.1", Created: at("1980-01-01")},
			[]v1.Descriptor{{Size: 100 << 20}},
			nil,
		},
		{"label", v1.ConfigFile{OS: "linux", Config: v1.Config{Labels: map[string]string{
			"org.opencontainers.image.base.name": "docker.io/library/alpine:3.18",
		}}}, nil, []string{
			"warning index-base-ended its base is Alpine 3.18 by its label org.opencontainers.image.base.name: the support of " +
				"Alpine 3.18 ended on 2025-05-09 (https://alpinelinux.org/releases/)",
		}},
		{"foreign", v1.ConfigFile{OS: "windows", Architecture: "amd64"}, []v1.Descriptor{
			{MediaType: types.DockerForeignLayer, Digest: v1.Hash{Algorithm: "sha256", Hex: "ab"}}, {MediaType: types.DockerLayer},
		}, []string{
			"note index-foreign-layer layer sha256:ab (application/vnd.docker.image.rootfs.foreign.diff.tar.gzip) is not to be " +
				"distributed",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			i := lint.Index{Name: "image", Single: true, Entries: []lint.Entry{{Config: &tc.config, Layers: tc.layers}}}
			var got []string
			for _, f := range lint.CheckIndexes([]lint.Index{i}, lint.IndexOptions{Now: now}).Findings {
				occurred.Store(f.Rule, true)
				if f.Rule != "index-single" {
					got = append(got, string(f.Severity)+" "+f.Rule+" "+f.What)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
