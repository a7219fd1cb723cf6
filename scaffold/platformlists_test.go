package scaffold

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlatformWord: architectures and platforms for Linux are as slipway.yaml writes them.
func TestPlatformWord(t *testing.T) {
	for word, want := range map[string]string{
		"amd64": "linux/amd64", "x86_64": "linux/amd64", "aarch64": "linux/arm64", "arm": "linux/arm/v7", "armv6": "linux/arm/v6",
		"linux/amd64": "linux/amd64", "linux-arm64": "linux/arm64", "linux_s390x": "linux/s390x", "linux/arm": "linux/arm/v7",
		"linux/arm/v6": "linux/arm/v6", "linux-arm-v6": "linux/arm/v6", "linux/arm64/v8": "linux/arm64", "linux-x86_64": "linux/amd64",
		"": "", "linux": "", "linux/": "", "linux/vax": "", "darwin/arm64": "", "windows/amd64": "", "AMD64": "", "amd64\t": "",
	} {
		if got := platformWord(word); got != want {
			t.Errorf("%q is %q, not %q", word, got, want)
		}
	}
}

// TestPlatformWords: a text is a list if all its words are platforms, and two of them are for
// Linux.
func TestPlatformWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "",
		"amd64":                                "",
		"amd64 amd64":                          "",
		"amd64 arm64":                          "linux/amd64 linux/arm64",
		"arm64,amd64":                          "linux/arm64 linux/amd64",
		"[amd64, 'arm64', \"s390x\"]":          "linux/amd64 linux/arm64 linux/s390x",
		"(amd64;arm64)":                        "linux/amd64 linux/arm64",
		"linux/amd64,linux/arm/v7,linux/amd64": "linux/amd64 linux/arm/v7",
		"amd64 arm64 none":                     "",
		"amd64 and arm64":                      "",
		"linux/amd64,darwin/arm64,linux/arm64": "linux/amd64 linux/arm64",
		"windows-ltsc2022 amd64 arm64":         "linux/amd64 linux/arm64",
		"windows darwin freebsd/amd64":         "",
		"linux/amd64 windows/amd64":            "",
	} {
		if got := strings.Join(platformWords(text), " "); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

// TestLineLists: a line gives lists by a value, by flags, and as csi-release-tools write them.
func TestLineLists(t *testing.T) {
	both := [][]string{{"linux/amd64", "linux/arm64"}}
	for line, want := range map[string][][]string{
		"":                                     nil,
		"amd64 arm64":                          nil,
		"echo amd64 arm64":                     nil,
		"A = amd64 arm64":                      both,
		"A ?= amd64 arm64 # and s390x":         both,
		"A := linux/amd64,linux/arm64":         both,
		"export A='amd64 arm64'":               both,
		"ARG A=\"amd64 arm64\"":                both,
		"  platforms: linux/amd64,linux/arm64": both,
		"- A: amd64,arm64":                     both,
		"A = amd64 arm64 x":                    nil,
		"x --platform linux/amd64,linux/arm64": both,
		"x --platform='linux/amd64,linux/arm64' --archs=arm,s390x": {
			{"linux/amd64", "linux/arm64"}, {"linux/arm/v7", "linux/s390x"},
		},
		"x --platform=linux/amd64": nil,
		"BUILD_PLATFORMS=linux amd64 amd64 -amd64; linux arm64 arm64 -arm64": both,
		"B = linux amd64; windows amd64 amd64 .exe nanoserver; linux arm64":  both,
		"B = windows amd64 amd64 .exe; windows amd64 amd64 .exe":             nil,
	} {
		if d := cmp.Diff(want, lineLists(line)); d != "" && len(want)+len(lineLists(line)) > 0 {
			t.Errorf("%q (-want +got):\n%s", line, d)
		}
	}
}

// TestTuples: the platform of a tuple is its third word, or where that is no architecture its
// second.
func TestTuples(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "",
		"linux":                                  "",
		"linux amd64":                            "linux/amd64",
		"linux arm arm/v6 -arm;linux arm -arm":   "linux/arm/v6 linux/arm/v7",
		"linux amd64 amd64 -x; linux s390x .y ;": "linux/amd64 linux/s390x",
		"windows amd64 amd64 .exe; linux arm64":  "linux/arm64",
		"linux vax; linux amd64; linux amd64":    "linux/amd64",
	} {
		if got := strings.Join(tuples(text), " "); got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

// TestListClaims: lists count where what builds the project has them, and for what uses them.
func TestListClaims(t *testing.T) {
	const workflow = "-- .github/workflows/release.yml --\non: {push: {tags: [v1]}}\njobs:\n  push:\n    steps:\n    - run: make push\n"
	for name, tc := range map[string]struct {
		files string
		want  map[string]rank
	}{
		"nothing":          {"", map[string]rank{}},
		"of make":          {"-- Makefile --\nA = amd64 arm64\n", map[string]rank{"Makefile:1": develops}},
		"of another one":   {"-- other.mk --\nA = amd64 arm64\n", map[string]rank{}},
		"of a script":      {"-- build.sh --\nx\nA='amd64 arm64'\n", map[string]rank{"build.sh:2": develops}},
		"of a test":        {"-- test/build.sh --\nA='amd64 arm64'\n", map[string]rank{}},
		"of a base image":  {"-- build/BASEIMAGE --\namd64=x\n", map[string]rank{}},
		"what a push uses": {workflow + "-- Makefile --\nA = amd64 arm64\nB = arm s390x\npush:\n\tdocker push $(A)\n", map[string]rank{"Makefile:1": publishes, "Makefile:2": develops}},
		"through another":  {workflow + "-- Makefile --\nA = amd64 arm64\nB = $(addprefix x,$(A))\npush: $(B)\n\tdocker push\n", map[string]rank{"Makefile:1": publishes}},
		"of a pipeline":    {"-- cloudbuild.yaml --\nx:\n- amd64\n- arm64\ny: [a, b]\nz: linux/arm linux/s390x\n", map[string]rank{"cloudbuild.yaml:2": publishes, "cloudbuild.yaml:5": publishes}},
		"of a workflow": {
			"-- .github/workflows/x.yml --\non: {push: {tags: [v1]}}\njobs:\n  a:\n    env: {A: b}\n    steps:\n    - run: docker push\n      env:\n        P: amd64 arm64\n  b:\n    x: y\n    y:\n    - z\n    - z\n    - z\n    - z\n    env:\n      P: arm s390x\n",
			map[string]rank{".github/workflows/x.yml:8": publishes},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := reader(t, tc.files)
			got := map[string]rank{}
			for _, c := range d.listClaims() {
				if c.rank == publishes || !isWorkflow(c.at.file) {
					got[c.at.String()] = c.rank
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
