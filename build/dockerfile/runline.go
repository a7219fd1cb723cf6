package dockerfile

import (
	"context"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
)

// runLine carries out a RUN.
func (b *builder) runLine(ctx context.Context, s *stage, c *instructions.RunCommand) error {
	e := evaluation{
		check: b.in.Check, snapshot: b.in.Snapshot, platform: normalize(b.in.Platform), compiler: b.in.Compiler,
		archives: b.archives, fetch: b.downloaded, note: b.notes.add,
		files: func(ctx context.Context, from, source string) (files, error) {
			if from == "" {
				return b.buildContext(ctx)
			}
			f, _, err := b.source(ctx, s, from, source)
			return f, err
		},
	}
	history, err := e.line(ctx, &s.state, c)
	if err != nil {
		return err
	}
	return b.commit(s, history)
}
