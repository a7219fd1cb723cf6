package containerfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/containerfile/mistake"
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
