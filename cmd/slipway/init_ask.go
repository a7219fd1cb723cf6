package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/scaffold"
)

// asker puts questions to a person, nil where they become entries of slipway.yaml.
func asker(cmd *cobra.Command, questions string) (scaffold.Asker, error) {
	switch questions {
	case "":
		if !term.IsTerminal(int(os.Stdin.Fd())) {
			return nil, nil
		}
	case "file":
		return nil, nil
	case "ask":
	default:
		return nil, misuse(cmd, "-questions=%s is neither ask nor file", questions)
	}
	a := asking{in: bufio.NewReader(cmd.InOrStdin()), out: output.New(cmd.ErrOrStderr())}
	return a.ask, nil
}

// asking puts questions to a person.
type asking struct {
	in  *bufio.Reader
	out *output.Writer
}

// ask puts one question. Enter takes the first candidate, a number another one, and ? shows the
// places that give them. At the end of the input it stays a question.
func (a asking) ask(q scaffold.Question) (answer string, ok bool, err error) {
	fmt.Fprintf(a.out, "%s:\n", output.Line(upper(q.What)))
	for n, c := range q.Candidates {
		fmt.Fprintf(a.out, "  %d  %s\n", n+1, output.Line(c.Value))
	}
	for {
		if len(q.Candidates) == 0 {
			fmt.Fprint(a.out, "Nothing here says it. A value, or Enter to leave it open: ")
		} else {
			fmt.Fprint(a.out, "Enter for 1, a number, ? for where they stand, or another value: ")
		}
		if err := a.out.Flush(); err != nil { // the line is not complete
			return "", false, fmt.Errorf("asking: %w", err)
		}
		line, err := a.in.ReadString('\n')
		if errors.Is(err, io.EOF) && strings.TrimSpace(line) == "" {
			fmt.Fprintln(a.out)
			return "", false, nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return "", false, fmt.Errorf("reading the answer: %w", err)
		}
		answer, err := a.answer(q, strings.TrimSpace(line))
		switch {
		case err != nil:
			fmt.Fprintf(a.out, "%s\n", output.Line(err.Error()))
		case answer != "" || len(q.Candidates) == 0:
			return answer, true, nil
		}
	}
}

// answer returns what a line says, "" if it asks for the places.
func (a asking) answer(q scaffold.Question, line string) (string, error) {
	if line == "?" && len(q.Candidates) > 0 {
		for n, c := range q.Candidates {
			where := strings.Join(c.Seen, ", ")
			if where == "" {
				where = "nothing here says it: it is usual"
			}
			fmt.Fprintf(a.out, "  %d  %s\n", n+1, output.Line(where))
		}
		return "", nil
	}
	if line == "" && len(q.Candidates) == 0 {
		return "", nil
	}
	if line == "" {
		line = "1"
	}
	if n, err := strconv.Atoi(line); err == nil && n > 0 && n <= len(q.Candidates) {
		return q.Candidates[n-1].Value, nil
	}
	return line, q.Check(line)
}

// upper begins a sentence.
func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
