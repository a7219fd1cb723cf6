package containerfile

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/entrypoint"
	"github.com/slipway-dev/slipway/platform"
)

// start is what an image starts, for [Result.CheckStart].
type start struct {
	file   string
	source []byte
	at     []parser.Range // of ENTRYPOINT or CMD, or of FROM if they come from the base
	user   []parser.Range // of USER, or of FROM if it comes from the base
	own    bool           // ENTRYPOINT or CMD is in this file
	image  entrypoint.Image

	copiesAll []string // a COPY of everything by a variable without a value
	notes     []string // on files that only a release reads
}

// CheckStart returns an error if the image lacks the program that it starts, which a node would
// report only when a pod runs. The program is the first word of the entrypoint, or else of the
// command. known reports whether the base's files can be read; if they cannot, and no layer of the
// Dockerfile has the program, a note reports that instead. An image that starts nothing by itself
// passes.
//
// The note also has the notes of the evaluation, such as a COPY of the complete context by an empty
// variable, which is an error if the program is missing.
func (r Result) CheckStart(known bool) (note string, err error) {
	note, err = r.checkStart(known)
	if note != "" && len(r.start.copiesAll) > 0 {
		return "", errors.New(strings.Join(append(slices.Clone(r.start.copiesAll), note), "\n"))
	}
	return strings.Join(slices.DeleteFunc(slices.Concat(r.start.copiesAll, r.start.notes, []string{note}),
		func(n string) bool { return n == "" }), "\n"), err
}

func (r Result) checkStart(known bool) (note string, err error) {
	s := r.start
	i := s.image
	report := &mistake.List{File: s.file, Source: s.source}
	known = known && !i.Tree.Open
	if known && i.On.OS == platform.Linux {
		why, err := i.User()
		if err != nil {
			return "", err
		}
		if why != "" {
			report.Add(s.user, "", errors.New(why))
			return "", report.Err()
		}
	}
	word, name, ok := i.Program()
	if !ok {
		return "", nil
	}
	if !known {
		i = i.Alone()
	}
	f, _, err := i.Start(name)
	if err != nil || f.Text == "" || !known && f.Kind == entrypoint.Interpreter {
		return "", err
	}
	switch {
	case f.Certain || known && !i.Outside(name):
		report.Add(s.at, "", fmt.Errorf("%s %s: %s", word, name, f.Text))
		return "", report.Err()
	case !s.own:
		return "", nil // it is the base's, which has its program
	}
	report.Add(s.at, "",
		fmt.Errorf("%s %s: no COPY or ADD adds it, and the files of the base are unknown: "+
			"make sure that the base has it", word, name))
	return report.Err().Error(), nil
}

// CheckLibraries reports shared libraries that programs of the image's own layers need and that
// the image does not have. known is that of [Result.CheckStart]: where the base's files are not
// known, only Windows programs are checked, against a table of DLLs that Microsoft's bases lack.
// A library that is certain to be missing, and without which the program that the image starts
// cannot start, is an error; anything else is a note, such as a copied DLL that nothing uses.
// Libraries whose name matches a pattern of allow, in any case, are not reported.
func (r Result) CheckLibraries(known bool, allow []string) (notes []string, err error) {
	i := r.start.image
	l := entrypoint.Libraries{
		Image: i, Known: known && !i.Tree.Open, Base: baseName(r.Base, i.On), Gone: absent(r.Base, i.On), Allow: allow,
	}
	if i.Check || !l.Known && (l.Gone == nil || i.Tree.More) {
		return nil, nil
	}
	notes, fatal, err := l.CheckAll()
	if err != nil {
		return nil, err
	}
	report := &mistake.List{File: r.start.file, Source: r.start.source}
	for _, f := range fatal {
		report.Add(r.start.at, "", errors.New(f))
	}
	return notes, report.Err()
}

// absentDLL is a DLL that a Windows base lacks, by public reports. The table is for bases whose
// files are unknown.
type absentDLL struct {
	family   string   // the last part of the repository
	releases []string // names of [platform.LTSC]
	dll      string
}

var absentDLLs = []absentDLL{
	// Missing since version 1709, https://github.com/golang/go/issues/21867 and
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
