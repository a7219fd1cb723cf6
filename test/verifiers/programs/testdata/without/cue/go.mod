module cuelang.org/go

go 1.26.8
