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
		name, linked      string
		info              *debug.BuildInfo
		version, revision string
	}{
		{"nothing", "", nil, "devel", ""},
		{"a tree without version", "", built("(devel)", debug.BuildSetting{Key: "vcs.revision", Value: "abc"}), "devel", "abc"},
		{"go install", "", built("v1.2.3"), "v1.2.3", ""},
		{"release", "v2.0.0", built("(devel)"), "v2.0.0", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := describe(test.linked, test.info)
			if got.Version != test.version || got.Revision != test.revision || got.Platform == "" || got.Go == "" {
				t.Errorf("describe = %+v", got)
			}
		})
	}
}
