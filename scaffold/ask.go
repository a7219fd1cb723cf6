package scaffold

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/platform"
)

// Asker returns a person's answer to a question, "" for one that is left open. ok is false at the
// end of the answers: this question stays open, and so do all that follow.
type Asker func(Question) (answer string, ok bool, err error)

// open reports whether a question without candidates has an answer that can be judged.
func (q Question) open() bool {
	return q.Key == "destinations" || strings.HasPrefix(q.Key, "args.")
}

// Check reports why an answer cannot be one.
func (q Question) Check(answer string) error {
	switch {
	case slices.ContainsFunc(q.Candidates, func(c Candidate) bool { return c.Value == answer }):
		return nil
	case strings.HasPrefix(q.Key, "platforms["):
		for _, p := range splitList(answer) {
			on, err := platform.Parse(p)
			if err == nil {
				err = on.Check()
			}
			if err != nil {
				return err
			}
		}
		return nil
	case q.Key == "destinations", q.Key == "charts", strings.HasSuffix(q.Key, ".repository"):
		return imagename.CheckRepository(answer)
	case q.Key == "images", q.Key == "release":
		for f := range strings.SplitSeq(answer, ", ") {
			if !slices.ContainsFunc(q.Candidates, func(c Candidate) bool {
				return slices.Contains(strings.Split(c.Value, ", "), f)
			}) {
				return fmt.Errorf("%q is none of them: name those that are, with a comma and a space between", f)
			}
		}
		return nil
	case strings.HasPrefix(q.Key, "args."):
		return nil
	}
	return fmt.Errorf("%q is none of them: give the number of one", answer)
}
