package program

import (
	"context"
	"fmt"
)

// record remembers what programs were compiled from, if that is known. It is an error if that
// was written meanwhile: it is unknown what the compiler has read. Where it was not known
// before, the go command lists it now, for [Set.Read], and looks again the next time.
func (c *comparison) record(ctx context.Context, programs []member, outputs []Output) error {
	if c == nil {
		return nil
	}
	last := reading{}
	var unknown []string
	for n, p := range programs {
		was, ok := c.known[p.Package]
		if !ok {
			unknown = append(unknown, p.Package)
			continue
		}
		after, err := last.state(was.Inputs)
		if err != nil || after != was.before || was.Inputs.stamp() != was.stamp {
			return fmt.Errorf("source %s changed while program %s was compiled from it: run again",
				p.Tree.Source.Name, p.Name)
		}
		now := compiled{Inputs: was.Inputs, State: after, Digest: outputs[n].Content.Digest}
		if err := c.batch.store.Record(kindInputs, c.key+"\n"+p.Package, now); err != nil {
			return err
		}
	}
	c.list(ctx, unknown)
	return ctx.Err()
}
