package platform_test

import (
	"testing"

	"github.com/slipway-dev/slipway/platform"
)

func TestTagVersion(t *testing.T) {
	for tag, want := range map[string]string{
		"ltsc2019":                           "10.0.17763",
		"ltsc2022-amd64":                     "10.0.20348",
		"LTSC2025":                           "10.0.26100",
		"ltsc2016":                           "10.0.14393",
		"1809":                               "10.0.17763",
		"1809-amd64":                         "10.0.17763",
		"20H2":                               "10.0.19042",
		"2004":                               "10.0.19041",
		"10.0.17763.6893":                    "10.0.17763",
		"10.0.20348.4773-amd64":              "10.0.20348",
		"10.0.26100":                         "10.0.26100",
		"8.0-nanoserver-1809":                "10.0.17763",
		"4.8-windowsservercore-ltsc2019":     "10.0.17763",
		"v1.21.0-windows-ltsc2022":           "10.0.20348",
		"v1.0.0":                             "",
		"":                                   "",
		"latest":                             "",
		"1809-preview":                       "",
		"v1-2004":                            "",
		"10.0.3":                             "",
		"3.10":                               "",
		"sha256-0123456789abcdef0123456.sig": "",
	} {
		if got := platform.TagVersion(tag); got != want {
			t.Errorf("TagVersion(%q) = %q, want %q", tag, got, want)
		}
	}
}
