package containerfile

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/frontend/dockerfile/shell"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/image/environment"
	"github.com/slipway-dev/slipway/image/tree"
)

// builder is the evaluation of one file.
type builder struct {
	in        Input
	check     bool // without the bytes of files: see [Check]
	report    *mistake.List
	demands   *mistake.List // what a release to a registry asks for besides
	copiesAll *mistake.List // a COPY of everything by a variable without a value
	notes     *mistake.List // what a release does and a snapshot cannot
	// the images that were used and are not bases of slipway.yaml
	references []Reference
	shlex      *shell.Lex
	globals    *environment.Variables // predefined platform arguments and those before the first FROM
	stages     []*stage
	contexts   map[string]tree.Files // opened contexts; "" is the build context
	dirs       []*tree.Directory     // further ones that are open
	images     map[string]*imageFiles
	builds     []run.GoBuild
	shipped    []*stage // the target and those that it starts from
	archives   *tree.Archives
	broken     bool // the stages are not known because a FROM could not be read
	// of a check: it took something for granted, its contents are read, and how many files it holds
	assumed, reading bool
	held             int
}

type command struct {
	instructions.Command
	at      []parser.Range
	onBuild string // the trigger of the base that it is, empty for one of the file
}

// parse reads the file into stages.
func (b *builder) parse() {
	ast, err := parser.Parse(bytes.NewReader(b.in.Source))
	if err != nil {
		b.broken = true
		var located *parser.LocationError
		var at []parser.Range
		if errors.As(err, &located) && len(located.Locations) > 0 {
			at = located.Locations[0]
		}
		b.report.Add(at, "", fmt.Errorf("reading instructions: %w", err))
		return
	}
	b.shlex = shell.NewLex(ast.EscapeToken)
	b.globals = platformArgs(b.in)
	var metaArgs []*instructions.ArgCommand
	for _, n := range ast.AST.Children {
		parsed, err := instructions.ParseInstruction(n)
		if err != nil {
			b.broken = b.broken || strings.EqualFold(n.Value, "from")
			b.report.Add(n.Location(), quoted(err), remedy(err))
			continue
		}
		switch c := parsed.(type) {
		case *instructions.Stage:
			b.stages = append(b.stages, &stage{index: len(b.stages), Stage: *c})
		case *instructions.ArgCommand:
			if len(b.stages) == 0 {
				metaArgs = append(metaArgs, c)
				continue
			}
			b.last().commands = append(b.last().commands, command{Command: c, at: n.Location()})
		case instructions.Command:
			if len(b.stages) == 0 {
				b.report.Add(n.Location(),
					"", fmt.Errorf("%s is before the first FROM, where only ARG may be: move it below",
						strings.ToUpper(n.Value)))
				continue
			}
			b.last().commands = append(b.last().commands, command{Command: c, at: n.Location()})
		}
	}
	if len(b.stages) == 0 && !b.broken {
		b.report.Add(nil, "", errors.New("the file has no FROM: begin with FROM scratch or a base"))
		return
	}
	b.setTargetStage()
	b.setGlobals(metaArgs)
	b.nameStages()
}

func (b *builder) last() *stage { return b.stages[len(b.stages)-1] }

// remedy returns what to do about an instruction that BuildKit's parser refuses.
func remedy(err error) error {
	var unknown *instructions.UnknownInstructionError
	if errors.As(err, &unknown) {
		return fmt.Errorf("%w: https://docs.docker.com/reference/dockerfile/ lists the instructions", err)
	}
	return err
}

// setGlobals evaluates the arguments before the first FROM.
func (b *builder) setGlobals(args []*instructions.ArgCommand) {
	for _, c := range args {
		for _, a := range c.Args {
			if v, ok := b.in.Args[a.Key]; ok {
				b.globals.Set(a.Key, v)
			} else if a.Value != nil {
				v, err := b.word(*a.Value, b.globals)
				if err != nil {
					b.report.Add(c.Location(), *a.Value, err)
					continue
				}
				b.globals.Set(a.Key, v)
			}
		}
	}
}

// nameStages expands the names of bases and connects stages with the earlier ones that they start
// from.
func (b *builder) nameStages() {
	for i, s := range b.stages {
		name, err := b.word(s.BaseName, b.globals)
		switch {
		case err != nil:
			b.report.Add(s.Location, s.BaseName, err)
			s.failed = true
		case name == "":
			b.report.Add(s.Location, s.BaseName,
				fmt.Errorf("the base %s is empty: give the argument a value, or write ${NAME:-default}", s.BaseName))
			s.failed = true
		}
		s.base = name
		for _, earlier := range b.stages[:i] {
			if earlier.Name != "" && earlier.Name == name {
				s.from = earlier // the last of that name
			}
		}
	}
}

// target returns the stage to build, nil if there is none.
func (b *builder) target() *stage {
	if b.broken || len(b.stages) == 0 {
		return nil
	}
	if b.in.Target == "" {
		return b.last()
	}
	if s := b.find(b.in.Target); s != nil {
		return s
	}
	var names []string
	for _, s := range b.stages {
		if s.Name != "" {
			names = append(names, s.Name)
		}
	}
	b.report.Add(nil, "",
		fmt.Errorf("the target stage %q does not exist: the file has %s", b.in.Target, tree.List(names, "stage")))
	return nil
}

// find returns the stage that a name or number means: the last one of that name.
func (b *builder) find(name string) *stage {
	if i, err := strconv.Atoi(name); err == nil {
		if i < 0 || i >= len(b.stages) {
			return nil
		}
		return b.stages[i]
	}
	var found *stage
	for _, s := range b.stages {
		if s.Name != "" && strings.EqualFold(s.Name, name) {
			found = s
		}
	}
	return found
}

// quoted returns the first word of a message that is in the source: BuildKit's messages name
// flags and instructions.
func quoted(err error) string {
	for _, w := range strings.Fields(err.Error()) {
		if strings.HasPrefix(w, "--") {
			return strings.TrimRight(w, ":,.")
		}
	}
	return ""
}
