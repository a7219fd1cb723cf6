package consumertable

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// page is docs/results/consumers.md.
type page struct {
	path string
	text string
}

func read(path string) (*page, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return &page{path, string(text)}, nil
}

// find returns where a table's lines begin and end in the text.
func (p *page) find(t *Table) (begin, end int, err error) {
	mark := "<!-- table " + t.Name + " -->\n"
	begin = strings.Index(p.text, mark)
	if begin < 0 {
		return 0, 0, fmt.Errorf("%s lacks %q to put the table under", p.path, strings.TrimSpace(mark))
	}
	begin += len(mark)
	n := strings.Index(p.text[begin:], "<!-- end -->\n")
	if n < 0 {
		return 0, 0, fmt.Errorf("%s: the table %s has no <!-- end -->", p.path, t.Name)
	}
	return begin, begin + n, nil
}

// rows are a table's lines without its head.
func (p *page) rows(t *Table) ([]string, error) {
	begin, end, err := p.find(t)
	if err != nil {
		return nil, err
	}
	lines := slices.Collect(strings.SplitSeq(strings.TrimSpace(p.text[begin:end]), "\n"))
	return lines[min(len(lines), len(t.head())):], nil
}

// check compares the rows of the run with the page. Other rows of the page are missing, unless
// the run was a partial one.
func (p *page) check(t *Table, seen []string) (missing []string, err error) {
	rows, err := p.rows(t)
	if err != nil {
		return nil, err
	}
	var errs []error
	known := map[string]string{}
	for _, r := range rows {
		known[t.key(r)] = r
	}
	for _, s := range seen {
		r, ok := known[t.key(s)]
		delete(known, t.key(s))
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("%s lacks\n%s", p.path, s))
		case r != s:
			errs = append(errs, fmt.Errorf("%s says\n%s\nand the tests saw\n%s", p.path, r, s))
		}
	}
	for _, r := range rows {
		if known[t.key(r)] != "" {
			missing = append(missing, r)
		}
	}
	return missing, errors.Join(errs...)
}

// put replaces a table's lines by the rows of the run and those to keep.
func (p *page) put(t *Table, lines []string) error {
	begin, end, err := p.find(t)
	if err != nil {
		return err
	}
	p.text = p.text[:begin] + strings.Join(append(t.head(), sorted(lines)...), "\n") + "\n" + p.text[end:]
	return nil
}
