package main

import (
	"runtime/debug"
	"testing"
)

func TestDescribe(t *testing.T) {
	built := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	for _, test := range []struct {
		name, linked, at  string
		info              *debug.BuildInfo
		version, revision string
	}{
		{"nothing", "", "", nil, "devel", ""},
		{
			"a tree without version", "", "", built("(devel)", debug.BuildSetting{Key: "vcs.revision", Value: "abc"}),
			"devel", "abc",
		},
		{"go install", "", "", built("v1.2.3"), "v1.2.3", ""},
		{
			"go install of a commit", "", "", built("v0.0.0-20250101000000-0123456789ab"),
			"v0.0.0-20250101000000-0123456789ab", "0123456789ab",
		},
		{
			"release", "v2.0.0", "fed", built("(devel)", debug.BuildSetting{Key: "vcs.revision", Value: "abc"}),
			"v2.0.0", "fed",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := describe(test.linked, test.at, test.info)
			if got.Version != test.version || got.Revision != test.revision || got.Platform == "" || got.Go == "" {
				t.Errorf("describe = %+v", got)
			}
		})
	}
}
