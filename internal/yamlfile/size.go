package yamlfile

import "bytes"

// Bounds on YAML texts, which a parser keeps in memory at a hundred times their size if they
// consist of nothing but brackets. Manifests in use are far below.
const (
	maxMarks     = 1 << 20 // characters that may begin a value
	maxDocuments = 100_000
)

// Size counts what YAML texts have before a parser reads them.
type Size struct{ marks, documents int }

// Add adds a text. file is its name for the error.
func (s *Size) Add(file string, text []byte) error {
	line := 1
	for n, c := range text {
		switch c {
		case '\n':
			line++
			if bytes.HasPrefix(text[n+1:], []byte("---")) {
				s.documents++
			}
		case ',', '[', '{':
			s.marks++
		case ':', '-', '?':
			if n+1 == len(text) || text[n+1] <= ' ' {
				s.marks++
			}
		default:
			continue
		}
		switch {
		case s.marks > maxMarks:
			return newError(Pos{File: file, Line: line},
				"there are more than a million values up to here: divide the file, or take values out")
		case s.documents > maxDocuments:
			return newError(Pos{File: file, Line: line},
				"there are more than 100000 documents up to here: divide the file")
		}
	}
	return nil
}
