package draft

import ("testing";"os";"fmt";"strings")

func TestDbg(t *testing.T) {
	d, err := read(os.DirFS(os.Getenv("DBG")), "/x", false, Options{})
	if err != nil { t.Fatal(err) }
	for _, b := range d.dockerBuilds { fmt.Printf("%+v\n", b) }
	fmt.Println(len(d.make.recipes), d.make.values["DOCKER"])
	for _, r := range d.make.recipes { if strings.Contains(r, "build-arg") { fmt.Println("RECIPE", d.make.expand(r)) } }
}
