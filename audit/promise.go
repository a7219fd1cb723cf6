package audit

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
)

// architectures are the words that names of files have for architectures. Some mean one only next
// to an operating system.
var architectures = map[string]string{
	"amd64": "amd64", "arm64": "arm64", "aarch64": "arm64", "s390x": "s390x", "ppc64le": "ppc64le",
	"riscv64": "riscv64", "loong64": "loong64", "arm": "arm", "armhf": "arm", "386": "386",
}

var (
	words   = lazyregexp.New(`[A-Za-z0-9]+`)
	endings = lazyregexp.New(`(\.(tar|tgz|zst|gz|xz|bz2|txt|list|oci|docker))+$`)
	day     = lazyregexp.New(`^[0-9]{2}$`)
)

// promised returns the platform that the name of an archive or a list states for its images:
// rke2-windows-ltsc2022-amd64-images.tar.zst, k3s-airgap-images-arm64.tar.gz. The names of
// products have such words, too: an operating system counts next to an architecture or a release
// only, and a year behind windows. A name with several of a kind states none.
func promised(file string) lint.Promise {
	w := fileWords(words.FindAllString(strings.ToLower(endings.ReplaceAllString(filepath.Base(file), "")), -1))
	var p platform.Platform
	var said []string
	for n, word := range w {
		arch, release := w.architecture(n), w.release(n)
		isOS := w.isOS(n) && w.architecture(n-1)+w.architecture(n+1)+w.release(n-1)+w.release(n+1) != ""
		other := func(have, want string) bool { return want != "" && have != "" && have != want }
		switch {
		case other(p.Architecture, arch), other(p.OSVersion, release), isOS && other(p.OS, word),
			release != "" && other(p.OS, platform.Windows):
			return lint.Promise{}
		case arch != "":
			p.Architecture = arch
		case release != "":
			p.OS, p.OSVersion = platform.Windows, release
		case isOS:
			p.OS = word
		default:
			continue
		}
		said = append(said, word)
	}
	return lint.Promise{Platform: p, Name: strings.Join(said, "-")}
}

// fileWords are the words of a file's name.
type fileWords []string

func (w fileWords) at(n int) string {
	if n < 0 || n >= len(w) {
		return ""
	}
	return w[n]
}

func (w fileWords) isOS(n int) bool { return w.at(n) == platform.Windows || w.at(n) == platform.Linux }

// architecture returns the architecture that a word means. The short ones mean one next to an
// operating system, and arm also at the end.
func (w fileWords) architecture(n int) string {
	switch w.at(n) {
	case "386":
		if !w.isOS(n - 1) {
			return ""
		}
	case "arm":
		if !w.isOS(n-1) && !w.isOS(n+1) && n != len(w)-1 {
			return ""
		}
	}
	return architectures[w.at(n)]
}

// release returns the version of the Windows release that a word means: ltsc2022, or behind windows
// 2022 or 1809, unless it begins a date.
func (w fileWords) release(n int) string {
	switch word := w.at(n); {
	case strings.HasPrefix(word, "ltsc"):
		return platform.TagVersion(word)
	case !slices.Contains(editions, w.at(n-1)) || len(word) != len("2022") || day.MatchString(w.at(n+1)):
		return ""
	default:
		return cmp.Or(platform.TagVersion("ltsc"+word), platform.TagVersion("windows-"+word))
	}
}

// editions are the words behind which a year or a short name is a release of Windows.
var editions = []string{"windows", "windowsservercore", "servercore", "nanoserver"}
