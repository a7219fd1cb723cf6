package containerfile

import (
	"context"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/image/tree"
)

// runLine carries out a RUN.
func (b *builder) runLine(ctx context.Context, s *stage, c *instructions.RunCommand) error {
	e := run.Evaluation{
		Check: b.in.Check, Snapshot: b.in.Snapshot, Platform: normalize(b.in.Platform),
		Compiler: run.Compiler{Check: b.in.Compiler.Check, File: b.compiled},
		Archives: b.archives, Fetch: b.downloaded, Note: b.notes.Add,
		Files: func(ctx context.Context, from, source string) (tree.Files, error) {
			if from == "" {
				return b.buildContext(ctx)
			}
			f, _, err := b.source(ctx, s, from, source)
			return f, err
		},
	}
	history, err := e.Line(ctx, &s.State, c)
	if err != nil {
		return err
	}
	return b.commit(s, history)
}
