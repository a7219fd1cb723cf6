package output

import (
	"fmt"
	"io"
	"reflect"
)

// Fprintf is [fmt.Fprintf] with [Line] applied to every argument that is a string or an error:
// only the format adds lines and columns.
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	safe := make([]any, len(args))
	for i, a := range args {
		switch v := a.(type) {
		case error:
			safe[i] = Line(v.Error())
		case fmt.Stringer:
			safe[i] = Line(v.String())
		default:
			safe[i] = a
			if reflect.ValueOf(a).Kind() == reflect.String {
				safe[i] = Line(reflect.ValueOf(a).String())
			}
		}
	}
	return fmt.Fprintf(w, format, safe...)
}
