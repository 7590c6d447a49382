module recordio_go

go 1.19

require github.com/grailbio/base v0.0.11

require (
	github.com/DataDog/zstd v1.4.1 // indirect
	github.com/klauspost/compress v1.8.6 // indirect
	github.com/klauspost/cpuid v1.2.1 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	v.io v0.1.15 // indirect
	v.io/x/lib v0.1.7 // indirect
)
