package containerfile

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/platform"
)

// absentDLL is a DLL that a Windows base lacks, by what is public about it. It serves where the
// files of the base are not known.
type absentDLL struct {
	family   string   // the last part of the repository
	releases []string // names of [platform.LTSC]
	dll      string
}

var absentDLLs = []absentDLL{
	// Left out since version 1709, https://github.com/golang/go/issues/21867 and
	// https://github.com/microsoft/Windows-Containers/issues/72; of ltsc2022,
	// https://github.com/rancher/windows/issues/116. There again in ltsc2025,
	// https://github.com/drone-plugins/drone-docker/pull/514.
	{"nanoserver", []string{"ltsc2019", "ltsc2022"}, "netapi32.dll"},
	// https://github.com/microsoft/Windows-Containers/issues/465
	{"servercore", []string{"ltsc2022"}, "perfts.dll"},
}

// absent returns a function that reports whether the table has a DLL for a base; nil if it has
// nothing about the base.
func absent(b base.Base, on platform.Platform) func(dll string) bool {
	if b.Info == nil || on.OS != platform.Windows {
		return nil
	}
	family, _, _ := strings.Cut(baseName(b, on), ":")
	release := platform.Release(on.OSVersion)
	of := func(a absentDLL) bool { return a.family == family && slices.Contains(a.releases, release) }
	if !slices.ContainsFunc(absentDLLs, of) {
		return nil
	}
	return func(dll string) bool {
		return slices.ContainsFunc(absentDLLs, func(a absentDLL) bool { return of(a) && strings.EqualFold(a.dll, dll) })
	}
}

// baseName names a base for a message: the last part of its repository, with the Windows release,
// nanoserver:ltsc2022.
func baseName(b base.Base, on platform.Platform) string {
	if b.Info == nil {
		return "the image"
	}
	name, _, _ := strings.Cut(b.Info.Name, "@")
	name = path.Base(name)
	family, _, _ := strings.Cut(name, ":")
	if on.OS == platform.Windows {
		return family + ":" + platform.Release(on.OSVersion)
	}
	return name
}
